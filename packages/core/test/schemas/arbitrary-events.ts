/** Generates events of every type. The type of the table asks for each of them. */
import type { AgentEventBody, LiveMessage } from "@capstan/kernel";
import * as fc from "fast-check";
import {
  anyAmount,
  anyContent,
  anyError,
  anyJson,
  anyMessage,
  anyPendingCall,
  anyText,
  anyTokens,
  anyToolCall,
  anyUsage,
} from "./arbitrary-messages.ts";

const ids = fc.array(anyText, { maxLength: 3 });
const pending = fc.array(anyPendingCall, { maxLength: 2 });
const place = fc.nat({ max: 9 });

const liveMessage: fc.Arbitrary<LiveMessage> = fc.record({
  id: anyText,
  content: fc.array(
    fc.oneof(
      fc.record({ type: fc.constant("text"), text: anyText }),
      fc.record({ type: fc.constant("thinking"), thinking: anyText }),
      fc.record(
        {
          type: fc.constant("tool_call"),
          index: place,
          id: anyText,
          name: anyText,
          inputText: anyText,
          input: anyJson,
        },
        { requiredKeys: ["type", "index", "id", "name", "inputText"] },
      ),
    ),
    { maxLength: 3 },
  ),
});

type Fields = {
  readonly [Type in AgentEventBody["type"]]: fc.Arbitrary<
    Omit<Extract<AgentEventBody, { readonly type: Type }>, "type">
  >;
};

const nothing = fc.constant({});

const fields: Fields = {
  turn_start: fc.record({ input: ids, continues: anyText }, { requiredKeys: ["input"] }),
  turn_end: fc.record(
    {
      finishReason: anyText,
      usage: anyUsage,
      cost: anyAmount,
      durationMs: anyAmount,
      pending,
      error: anyError,
    },
    { requiredKeys: ["finishReason", "usage"] },
  ),
  step_start: fc.record({ step: place }),
  step_end: fc.record(
    {
      step: place,
      finishReason: anyText,
      usage: anyUsage,
      timing: fc.record(
        { ttftMs: anyAmount, decodeMs: anyAmount, totalMs: anyAmount },
        { requiredKeys: ["totalMs"] },
      ),
    },
    { requiredKeys: ["step", "finishReason"] },
  ),
  attempt_start: fc.record({ step: place, attempt: place }),
  attempt_discarded: fc.record({
    step: place,
    attempt: place,
    error: anyError,
    delayMs: anyAmount,
  }),
  message_start: fc.record({
    role: fc.constantFrom("system", "user", "assistant", "tool", "custom"),
    messageId: anyText,
  }),
  message_end: fc.record({ message: anyMessage, cost: anyAmount }, { requiredKeys: ["message"] }),
  text_start: nothing,
  text_delta: fc.record({ delta: anyText }),
  text_end: fc.record({ text: anyText }),
  thinking_start: nothing,
  thinking_delta: fc.record({ delta: anyText }),
  thinking_end: fc.record({ thinking: anyText }),
  toolcall_start: fc.record({ index: place, id: anyText, name: anyText }),
  toolcall_delta: fc.record({ index: place, delta: anyText }),
  toolcall_end: fc.record({ index: place, toolCall: anyToolCall }),
  tool_execution_start: fc.record({ toolCallId: anyText, toolName: anyText, input: anyJson }),
  tool_execution_delta: fc.record({ toolCallId: anyText, delta: anyText }),
  tool_execution_end: fc.record(
    {
      toolCallId: anyText,
      toolName: anyText,
      output: anyContent,
      details: anyJson,
      isError: fc.boolean(),
      durationMs: anyAmount,
    },
    { requiredKeys: ["toolCallId", "toolName", "output", "isError"] },
  ),
  nested_call_start: fc.record({
    within: anyText,
    toolCallId: anyText,
    toolName: anyText,
    input: anyJson,
  }),
  nested_call_end: fc.record(
    {
      within: anyText,
      toolCallId: anyText,
      toolName: anyText,
      output: anyContent,
      details: anyJson,
      isError: fc.boolean(),
      durationMs: anyAmount,
    },
    { requiredKeys: ["within", "toolCallId", "toolName", "output", "isError"] },
  ),
  handed_off: fc.record({ toolCallId: anyText, agent: anyText }),
  child_started: fc.record(
    {
      toolCallId: anyText,
      childId: anyText,
      agent: anyText,
      mode: fc.constant("background" as const),
    },
    { requiredKeys: ["toolCallId", "childId", "agent"] },
  ),
  child_waiting: fc.record({ toolCallId: anyText, childId: anyText, pending }),
  child_ended: fc.record(
    {
      toolCallId: anyText,
      childId: anyText,
      outcome: fc.constantFrom("answered", "failed", "stopped"),
      reason: fc.constant("out-of-time" as const),
      usage: anyUsage,
      cost: anyAmount,
    },
    { requiredKeys: ["toolCallId", "childId", "outcome"] },
  ),
  awaiting_tool_execution: fc.record(
    { pending, toolCallId: anyText },
    { requiredKeys: ["pending"] },
  ),
  steering_delivered: fc.record({ ids, step: place }),
  steering_returned: fc.record({ ids, reason: anyText }),
  compaction_start: nothing,
  compaction_end: fc.record(
    { through: anyText, before: anyTokens, after: anyTokens, usage: anyUsage },
    { requiredKeys: ["through", "before", "after"] },
  ),
  compaction_failed: fc.record(
    {
      reason: fc.constantFrom("nothing" as const, "failed" as const, "aborted" as const),
      error: anyError,
      usage: anyUsage,
    },
    { requiredKeys: ["reason"] },
  ),
  context_evicted: fc.record({ toolCallIds: ids }),
  history_rewound: fc.record({ to: anyText }, { requiredKeys: [] }),
  abort: fc.record({ reason: anyText }, { requiredKeys: [] }),
  error: fc.record({ error: anyError }),
  snapshot: fc.record(
    {
      message: liveMessage,
      toolOutputs: fc.array(fc.record({ toolCallId: anyText, output: anyText }), { maxLength: 2 }),
    },
    { requiredKeys: ["toolOutputs"] },
  ),
  settled: nothing,
};

export const anyBody: fc.Arbitrary<AgentEventBody> = fc.oneof(
  ...Object.entries(fields).map(([type, arbitrary]) =>
    // The type of the table says that these are the fields of this type.
    arbitrary.map((own) => ({ type, ...own }) as AgentEventBody),
  ),
);
