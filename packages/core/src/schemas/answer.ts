/** Answers that settle a pending call. */
import type { Answer, Approval, CallAnswer } from "@capstan/log";
import { z } from "zod";
import { either } from "./either.ts";
import { fieldsOf } from "./exact-fields.ts";
import { JsonValueSchema } from "./json-value.ts";
import { ToolContentSchema } from "./parts.ts";

// Not open: an answer becomes an entry, which keeps only these fields. So no result of a call can smuggle in the fields of an approval.

/** Schema of a `CallAnswer`. */
export const CallAnswerSchema: z.ZodType<CallAnswer> = z.object(
  fieldsOf<CallAnswer>()({
    toolCallId: z.string(),
    output: ToolContentSchema,
    isError: z.boolean().exactOptional(),
    details: JsonValueSchema.exactOptional(),
  }),
);

/** Schema of an `Approval`. */
export const ApprovalSchema: z.ZodType<Approval> = z.object(
  fieldsOf<Approval>()({
    toolCallId: z.string(),
    hash: z.string(),
    approved: z.boolean(),
    reason: z.string().exactOptional(),
  }),
);

/** A value with the fields of both is an approval. */
export const AnswerSchema: z.ZodType<Answer> = either(
  ApprovalSchema,
  CallAnswerSchema,
  (input) => typeof input === "object" && input !== null && !("approved" in input),
);
