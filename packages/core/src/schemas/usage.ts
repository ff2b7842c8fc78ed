/** Token counts, and how long a step took. */
import type { StepTiming, Usage } from "@capstan/kernel";
import type { z } from "zod";
import { fieldsOf } from "./exact-fields.ts";
import { amount, tokens } from "./numbers.ts";
import { openObject } from "./open-object.ts";

/** Schema of a `Usage`. */
export const UsageSchema: z.ZodType<Usage> = openObject(
  fieldsOf<Usage>()({
    inputTokens: tokens.exactOptional(),
    outputTokens: tokens.exactOptional(),
    cacheReadTokens: tokens.exactOptional(),
    cacheWriteTokens: tokens.exactOptional(),
    reasoningTokens: tokens.exactOptional(),
    unreportedAttempts: tokens.exactOptional(),
  }),
);

/** Schema of a `StepTiming`. */
export const StepTimingSchema: z.ZodType<StepTiming> = openObject(
  fieldsOf<StepTiming>()({
    ttftMs: amount.exactOptional(),
    decodeMs: amount.exactOptional(),
    totalMs: amount,
  }),
);
