/** What settles a pending call. */
import { z } from "zod";
import type { Answer, Approval, CallAnswer } from "../input/input.ts";
import { either } from "./either.ts";
import { fieldsOf } from "./exact-fields.ts";
import { JsonValueSchema } from "./json-value.ts";
import { ToolContentSchema } from "./parts.ts";

// Not open: an answer becomes an entry, and nothing of it but these fields goes on. So no result of a call can carry
// the fields of an approval along.

export const CallAnswerSchema: z.ZodType<CallAnswer> = z.object(
  fieldsOf<CallAnswer>()({
    toolCallId: z.string(),
    ok: z.boolean(),
    output: ToolContentSchema,
    details: JsonValueSchema.exactOptional(),
  }),
);

export const ApprovalSchema: z.ZodType<Approval> = z.object(
  fieldsOf<Approval>()({
    toolCallId: z.string(),
    hash: z.string(),
    approved: z.boolean(),
    reason: z.string().exactOptional(),
  }),
);

/** What has the fields of both is an approval. */
export const AnswerSchema: z.ZodType<Answer> = either(
  ApprovalSchema,
  CallAnswerSchema,
  (input) => typeof input === "object" && input !== null && !("approved" in input),
);
