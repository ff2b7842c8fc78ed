/** The response of a turn, as its caller gets it. */
import type { JsonValue, TurnResponse } from "@capstan/kernel";
import { z } from "zod";
import { fieldsOf } from "./exact-fields.ts";
import { JsonValueSchema } from "./json-value.ts";
import { ChatMessageSchema } from "./messages.ts";
import { amount } from "./numbers.ts";
import { listOf, openObject } from "./open-object.ts";
import { PendingCallSchema } from "./pending-call.ts";
import { SerializedErrorSchema } from "./serialized-error.ts";
import { UsageSchema } from "./usage.ts";

/** In process, a typed answer may be any output of its schema. Across a boundary it is JSON. */
export const TurnResponseSchema: z.ZodType<TurnResponse<JsonValue>> = openObject(
  fieldsOf<TurnResponse<JsonValue>>()({
    status: z.enum(["completed", "awaiting_tool_execution", "aborted", "error"]),
    text: z.string(),
    hasAnswer: z.boolean(),
    messages: listOf(ChatMessageSchema),
    finishReason: z.string(),
    usage: UsageSchema,
    cost: amount.exactOptional(),
    pendingToolCalls: listOf(PendingCallSchema).exactOptional(),
    metadata: JsonValueSchema.exactOptional(),
    output: JsonValueSchema.exactOptional(),
    error: SerializedErrorSchema.exactOptional(),
  }),
);
