/** The events of a turn, from one table: as readers in process get them, and as the wire has them. */
import type { AgentEventBody } from "@capstan/kernel";
import type { SessionEvent, SessionIds } from "@capstan/log";
import { z } from "zod";
import { fieldsOf, tableOf } from "./exact-fields.ts";
import { JsonValueSchema } from "./json-value.ts";
import { LiveMessageSchema, LiveToolOutputSchema } from "./live-message.ts";
import { ChatMessageSchema } from "./messages.ts";
import { amount, ordinal, tokens } from "./numbers.ts";
import { listOf, openObject } from "./open-object.ts";
import { ToolCallPartSchema, ToolContentSchema } from "./parts.ts";
import { PendingCallSchema } from "./pending-call.ts";
import { SerializedErrorSchema } from "./serialized-error.ts";
import { taggedUnion } from "./union-of.ts";
import { StepTimingSchema, UsageSchema } from "./usage.ts";

type EventFields = {
  readonly [Type in AgentEventBody["type"]]: Omit<
    Extract<AgentEventBody, { readonly type: Type }>,
    "type"
  >;
};

const text = z.string();
const optionalText = text.exactOptional();
const optionalAmount = amount.exactOptional();
const optionalUsage = UsageSchema.exactOptional();
const ids = listOf(text);
const pending = listOf(PendingCallSchema);

const fields = tableOf<EventFields>()({
  turn_start: { input: ids, continues: optionalText },
  turn_end: {
    finishReason: text,
    usage: UsageSchema,
    cost: optionalAmount,
    durationMs: optionalAmount,
    pending: pending.exactOptional(),
    error: SerializedErrorSchema.exactOptional(),
  },
  step_start: { step: ordinal },
  step_end: {
    step: ordinal,
    finishReason: text,
    usage: optionalUsage,
    timing: StepTimingSchema.exactOptional(),
  },
  attempt_start: { step: ordinal, attempt: ordinal },
  attempt_discarded: {
    step: ordinal,
    attempt: ordinal,
    model: text.exactOptional(),
    error: SerializedErrorSchema,
    delayMs: amount,
  },
  message_start: {
    role: z.enum(["system", "user", "assistant", "tool", "custom"]),
    messageId: text,
  },
  message_end: { message: ChatMessageSchema, cost: optionalAmount },
  text_start: {},
  text_delta: { delta: text },
  text_end: { text },
  thinking_start: {},
  thinking_delta: { delta: text },
  thinking_end: { thinking: text },
  toolcall_start: { index: ordinal, id: text, name: text },
  toolcall_delta: { index: ordinal, delta: text },
  toolcall_end: { index: ordinal, toolCall: ToolCallPartSchema },
  tool_execution_start: { toolCallId: text, toolName: text, input: JsonValueSchema },
  tool_execution_delta: { toolCallId: text, delta: text },
  tool_execution_end: {
    toolCallId: text,
    toolName: text,
    output: ToolContentSchema,
    details: JsonValueSchema.exactOptional(),
    isError: z.boolean(),
    isDenied: z.boolean().exactOptional(),
    durationMs: optionalAmount,
  },
  nested_call_start: {
    within: text,
    toolCallId: text,
    toolName: text,
    input: JsonValueSchema,
  },
  nested_call_end: {
    within: text,
    toolCallId: text,
    toolName: text,
    output: ToolContentSchema,
    details: JsonValueSchema.exactOptional(),
    isError: z.boolean(),
    isDenied: z.boolean().exactOptional(),
    durationMs: amount.exactOptional(),
  },
  handed_off: { toolCallId: text, agent: text },
  child_started: {
    toolCallId: z.string(),
    childId: z.string(),
    agent: z.string(),
    mode: z.literal("background").exactOptional(),
  },
  child_waiting: { toolCallId: z.string(), childId: z.string(), pending },
  child_ended: {
    toolCallId: z.string(),
    childId: z.string(),
    outcome: z.enum(["answered", "failed", "stopped"]),
    reason: z.literal("out-of-time").exactOptional(),
    usage: UsageSchema.exactOptional(),
    cost: amount.exactOptional(),
  },
  awaiting_tool_execution: { pending, toolCallId: z.string().exactOptional() },
  steering_delivered: { ids, step: ordinal },
  steering_returned: { ids, reason: text },
  compaction_start: {},
  compaction_end: { through: text, before: tokens, after: tokens, usage: optionalUsage },
  compaction_failed: {
    reason: z.enum(["nothing", "failed", "aborted"]),
    error: SerializedErrorSchema.exactOptional(),
    usage: optionalUsage,
  },
  context_evicted: { toolCallIds: ids },
  history_rewound: { to: optionalText },
  abort: { reason: optionalText },
  error: { error: SerializedErrorSchema },
  snapshot: {
    message: LiveMessageSchema.exactOptional(),
    toolOutputs: listOf(LiveToolOutputSchema),
  },
  settled: {},
});

/** Fails for an event of an unknown type. Readers use `safeParse` and skip events that fail. */
export const TurnEventBodySchema: z.ZodType<AgentEventBody> = eventsWith({});

/** Events with the ids of the session and the turn. */
export const TurnEventSchema: z.ZodType<SessionEvent> = eventsWith(
  fieldsOf<SessionIds>()({ sessionId: text, turnId: text }),
);

/** The type of the table ensures that its fields are those of the events. */
function eventsWith<Event>(common: z.core.$ZodLooseShape): z.ZodType<Event> {
  const schemas = Object.entries(fields).map(([type, own]) =>
    openObject({ type: z.literal(type), ...common, ...own }),
  );
  return taggedUnion("type", schemas);
}
