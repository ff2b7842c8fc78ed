/** Generates messages of every kind, with and without each field that may be absent. */
import type {
  AssistantPart,
  ChatMessage,
  JsonValue,
  PendingCall,
  SerializedError,
  ToolCallPart,
  ToolContent,
  ToolContentPart,
  Usage,
} from "@capstan/kernel";
import * as fc from "fast-check";

const text = fc.string({ unit: "binary", maxLength: 8 });

export const anyJson: fc.Arbitrary<JsonValue> = fc
  .jsonValue({ maxDepth: 3 })
  // What fast-check calls JSON is JSON.
  .map((value) => value as JsonValue);

export const anyTokens: fc.Arbitrary<number> = fc.nat();
export const anyAmount: fc.Arbitrary<number> = fc.double({
  noNaN: true,
  noDefaultInfinity: true,
});
export const anyText: fc.Arbitrary<string> = text;

export const anyUsage: fc.Arbitrary<Usage> = fc.record(
  {
    inputTokens: anyTokens,
    outputTokens: anyTokens,
    cacheReadTokens: anyTokens,
    cacheWriteTokens: anyTokens,
    reasoningTokens: anyTokens,
    unreportedAttempts: anyTokens,
  },
  { requiredKeys: [] },
);

export const anyError: fc.Arbitrary<SerializedError> = fc.record(
  { name: text, message: text, code: text },
  { requiredKeys: ["name", "message"] },
);

export const anyPendingCall: fc.Arbitrary<PendingCall> = fc.record(
  {
    toolCallId: text,
    kind: fc.constantFrom("execution", "approval"),
    toolName: text,
    input: anyJson,
    hash: text,
    deadlineAt: anyAmount,
    reason: text,
  },
  { requiredKeys: ["toolCallId", "kind", "toolName", "input", "hash"] },
);

const textPart = fc.record(
  { type: fc.constant("text"), text, providerData: anyJson },
  { requiredKeys: ["type", "text"] },
);

const contentPart: fc.Arbitrary<ToolContentPart> = fc.oneof(
  textPart,
  fc.record({ type: fc.constant("image"), mediaType: text, data: fc.base64String() }),
  fc.record(
    { type: fc.constant("document"), mediaType: text, data: fc.base64String(), name: text },
    { requiredKeys: ["type", "mediaType", "data"] },
  ),
);

export const anyContent: fc.Arbitrary<ToolContent> = fc.oneof(
  text,
  fc.array(contentPart, { maxLength: 3 }),
);

export const anyToolCall: fc.Arbitrary<ToolCallPart> = fc.record(
  {
    type: fc.constant("tool_call"),
    id: text,
    name: text,
    input: anyJson,
    malformedInput: text,
    isProviderExecuted: fc.boolean(),
    providerData: anyJson,
  },
  { requiredKeys: ["type", "id", "name", "input"] },
);

const assistantPart: fc.Arbitrary<AssistantPart> = fc.oneof(
  textPart,
  anyToolCall,
  fc.record(
    { type: fc.constant("thinking"), thinking: text, providerData: anyJson },
    { requiredKeys: ["type", "thinking"] },
  ),
  fc.record(
    { type: fc.constant("refusal"), text, providerData: anyJson },
    { requiredKeys: ["type", "text"] },
  ),
  fc.record({ type: fc.constant("native"), data: anyJson }),
);

const messages: {
  readonly [Role in ChatMessage["role"]]: fc.Arbitrary<
    Extract<ChatMessage, { readonly role: Role }>
  >;
} = {
  system: fc.record({ role: fc.constant("system"), id: text, content: text }),
  user: fc.record(
    {
      role: fc.constant("user"),
      id: text,
      content: anyContent,
      source: fc.constantFrom("interruption", "closing", "repair"),
      metadata: anyJson,
    },
    { requiredKeys: ["role", "id", "content"] },
  ),
  assistant: fc.record(
    {
      role: fc.constant("assistant"),
      id: text,
      content: fc.array(assistantPart, { maxLength: 4 }),
      stopReason: fc.oneof(fc.constantFrom("stop", "tool-calls", "aborted"), text),
      usage: anyUsage,
      origin: fc.record({ provider: text, api: text, model: text }, { requiredKeys: ["provider"] }),
      metadata: anyJson,
      error: anyError,
    },
    { requiredKeys: ["role", "id", "content", "stopReason"] },
  ),
  tool: fc.record(
    {
      role: fc.constant("tool"),
      id: text,
      toolCallId: text,
      toolName: text,
      content: anyContent,
      isError: fc.boolean(),
      details: anyJson,
      meta: anyJson,
      kept: fc.record({
        blob: text,
        mediaType: fc.constantFrom("text/plain", "application/json"),
        chars: fc.nat(),
      }),
    },
    { requiredKeys: ["role", "id", "toolCallId", "toolName", "content", "isError"] },
  ),
  custom: fc.record({ role: fc.constant("custom"), id: text, kind: text, data: anyJson }),
};

export const anyMessage: fc.Arbitrary<ChatMessage> = fc.oneof(...Object.values(messages));
