/** Schema of a request to a model. Neither keys, addresses, headers nor vendor options: only the server sets them. */
import {
  AssistantMessageSchema,
  JsonValueSchema,
  SystemMessageSchema,
  ToolMessageSchema,
  UserMessageSchema,
} from "@capstan/core/schemas";
import type { ChatMessage } from "@capstan/kernel";
import type { ModelOptions, ModelRequest } from "@capstan/log";
import { z } from "zod";
import { samplingFields, toolChoice, toolName } from "./sampling-fields.ts";

const id = z
  .string()
  .regex(/^[\w.:@+=-]{1,128}$/, 'must be 1 to 128 letters, digits or "_ . : @ + = -"');
const schema = z.record(z.string(), JsonValueSchema);
const tokens = z.int().min(0).max(10_000_000);

/** Everything that a model may be shown. */
const MessageSchema: z.ZodType<ChatMessage> = z.union([
  UserMessageSchema,
  AssistantMessageSchema,
  ToolMessageSchema,
  SystemMessageSchema,
]);

const ModelOptionsSchema: z.ZodType<ModelOptions> = z.strictObject({
  ...samplingFields,
  systemPrompt: z.string().exactOptional(),
  toolChoice: toolChoice.exactOptional(),
  thinkingBudgets: z
    .strictObject({
      off: tokens.exactOptional(),
      minimal: tokens.exactOptional(),
      low: tokens.exactOptional(),
      medium: tokens.exactOptional(),
      high: tokens.exactOptional(),
      xhigh: tokens.exactOptional(),
      max: tokens.exactOptional(),
    })
    .exactOptional(),
  output: z.strictObject({ name: toolName, schema }).exactOptional(),
  sessionId: z.string().max(200).exactOptional(),
});

export const ModelRequestSchema: z.ZodType<ModelRequest> = z.strictObject({
  id,
  model: z.string().min(1).max(200),
  messages: z.array(MessageSchema),
  tools: z.array(z.strictObject({ name: toolName, description: z.string(), inputSchema: schema })),
  toolChoice: z.literal("none").exactOptional(),
  options: ModelOptionsSchema,
  conversationId: z.string().max(200),
  turnId: z.string().max(200),
  step: z.int().min(0),
  attempt: z.int().min(0),
});
