/** A call that awaits an answer from outside. */
import type { ChildStep, PendingCall } from "@capstan/kernel";
import { z } from "zod";
import { fieldsOf } from "./exact-fields.ts";
import { JsonValueSchema } from "./json-value.ts";
import { amount } from "./numbers.ts";
import { openObject } from "./open-object.ts";

const ChildStepSchema: z.ZodType<ChildStep> = openObject(
  fieldsOf<ChildStep>()({ agent: z.string(), sessionId: z.string(), toolCallId: z.string() }),
);

/** Schema of a `PendingCall`. */
export const PendingCallSchema: z.ZodType<PendingCall> = openObject(
  fieldsOf<PendingCall>()({
    toolCallId: z.string(),
    kind: z.enum(["execution", "approval"]),
    toolName: z.string(),
    input: JsonValueSchema,
    hash: z.string(),
    deadlineAt: amount.exactOptional(),
    reason: z.string().exactOptional(),
    lentBy: z.string().exactOptional(),
    via: z.array(ChildStepSchema).readonly().exactOptional(),
  }),
);
