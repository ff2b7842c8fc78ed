/** A sample of every event. The type of the table asks for each of them. */
import type { AgentEventBody } from "@capstan/kernel";
import { TurnEventBodySchema, TurnEventSchema } from "@capstan/core/schemas";
import { anyJson } from "./sample.ts";
import type { OptionalFields, RequiredFields, Sample } from "./sample.ts";

type BodyOf<Type> = Extract<AgentEventBody, { readonly type: Type }>;

type Bodies = {
  readonly [Type in AgentEventBody["type"]]: readonly [
    required: RequiredFields<BodyOf<Type>>,
    optional: OptionalFields<BodyOf<Type>>,
  ];
};

const error = { name: "Error", message: "cut" } as const;
const pendingCall = {
  toolCallId: "k1",
  kind: "execution",
  toolName: "pick",
  input: anyJson,
  hash: "h1",
} as const;
const toolCall = { type: "tool_call", id: "k1", name: "book", input: anyJson } as const;

const bodies: Bodies = {
  turn_start: [{ type: "turn_start", input: ["m1"] }, { continues: "t0" }],
  turn_end: [
    { type: "turn_end", finishReason: "stop", usage: {} },
    { cost: 0.5, durationMs: 40, pending: [pendingCall], error },
  ],
  step_start: [{ type: "step_start", step: 1 }, {}],
  step_end: [
    { type: "step_end", step: 1, finishReason: "tool-calls" },
    { usage: { inputTokens: 1 }, timing: { totalMs: 9 } },
  ],
  attempt_start: [{ type: "attempt_start", step: 1, attempt: 2 }, {}],
  attempt_discarded: [
    { type: "attempt_discarded", step: 1, attempt: 1, error, delayMs: 500 },
    { model: "a/b" },
  ],
  message_start: [{ type: "message_start", role: "assistant", messageId: "m2" }, {}],
  message_end: [
    { type: "message_end", message: { role: "user", id: "m1", content: "Hello" } },
    { cost: 0.5 },
  ],
  text_start: [{ type: "text_start" }, {}],
  text_delta: [{ type: "text_delta", delta: "He" }, {}],
  text_end: [{ type: "text_end", text: "Hello" }, {}],
  thinking_start: [{ type: "thinking_start" }, {}],
  thinking_delta: [{ type: "thinking_delta", delta: "H" }, {}],
  thinking_end: [{ type: "thinking_end", thinking: "Hm" }, {}],
  toolcall_start: [{ type: "toolcall_start", index: 0, id: "k1", name: "book" }, {}],
  toolcall_delta: [{ type: "toolcall_delta", index: 0, delta: "{" }, {}],
  toolcall_end: [{ type: "toolcall_end", index: 0, toolCall }, {}],
  tool_execution_start: [
    { type: "tool_execution_start", toolCallId: "k1", toolName: "book", input: anyJson },
    {},
  ],
  tool_execution_delta: [{ type: "tool_execution_delta", toolCallId: "k1", delta: "…" }, {}],
  tool_execution_end: [
    {
      type: "tool_execution_end",
      toolCallId: "k1",
      toolName: "book",
      output: "Booked",
      isError: false,
    },
    { details: anyJson, isDenied: false, durationMs: 7 },
  ],
  nested_call_start: [
    {
      type: "nested_call_start",
      within: "k1",
      toolCallId: "k1.1",
      toolName: "book",
      input: anyJson,
    },
    {},
  ],
  nested_call_end: [
    {
      type: "nested_call_end",
      within: "k1",
      toolCallId: "k1.1",
      toolName: "book",
      output: "Booked",
      isError: false,
    },
    { details: anyJson, isDenied: false, durationMs: 7 },
  ],
  handed_off: [{ type: "handed_off", toolCallId: "c1", agent: "billing" }, {}],
  child_started: [
    { type: "child_started", toolCallId: "c1", childId: "s2", agent: "researcher" },
    { mode: "background" },
  ],
  child_waiting: [
    { type: "child_waiting", toolCallId: "c1", childId: "s2", pending: [pendingCall] },
    {},
  ],
  child_ended: [
    { type: "child_ended", toolCallId: "c1", childId: "s2", outcome: "answered" },
    { reason: "out-of-time", usage: {}, cost: 0.01 },
  ],
  awaiting_tool_execution: [
    { type: "awaiting_tool_execution", pending: [pendingCall] },
    { toolCallId: "c1" },
  ],
  steering_delivered: [{ type: "steering_delivered", ids: ["m4"], step: 2 }, {}],
  steering_returned: [{ type: "steering_returned", ids: ["m4"], reason: "cleared" }, {}],
  compaction_start: [{ type: "compaction_start" }, {}],
  compaction_end: [
    { type: "compaction_end", through: "m1", before: 9_000, after: 1_000 },
    { usage: { outputTokens: 80 } },
  ],
  compaction_failed: [
    { type: "compaction_failed", reason: "failed" },
    { error, usage: { outputTokens: 80 } },
  ],
  context_evicted: [{ type: "context_evicted", toolCallIds: ["k1"] }, {}],
  history_rewound: [{ type: "history_rewound" }, { to: "m1" }],
  abort: [{ type: "abort" }, { reason: "The user left" }],
  error: [{ type: "error", error }, {}],
  snapshot: [
    { type: "snapshot", toolOutputs: [{ toolCallId: "k1", output: "…" }] },
    {
      message: {
        id: "m2",
        content: [
          { type: "text", text: "He" },
          { type: "thinking", thinking: "H" },
          { type: "tool_call", index: 0, id: "k1", name: "book", inputText: "{}", input: {} },
        ],
      },
    },
  ],
  settled: [{ type: "settled" }, {}],
};

/** Without the ids, as on a wire. */
export const bodySamples: Readonly<Record<string, Sample>> = Object.fromEntries(
  Object.entries(bodies).map(([type, [required, optional]]) => [
    type,
    { schema: TurnEventBodySchema, required, optional },
  ]),
);

export const eventSamples: Readonly<Record<string, Sample>> = Object.fromEntries(
  Object.entries(bodies).map(([type, [required, optional]]) => [
    type,
    {
      schema: TurnEventSchema,
      required: { ...required, sessionId: "s1", turnId: "t1" },
      optional,
    },
  ]),
);
