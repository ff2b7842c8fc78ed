/** What the fields of each entry must be, as far as folds and events read them. Messages are not looked into. */
import type { EntryOf, EntryType } from "./entries.ts";

type FieldKind =
  | "string"
  | "number"
  | "boolean"
  | "array"
  | "object"
  /** An object with a role, and with parts where the model wrote it. */
  | "message"
  | "any";

/** Every field of the entry, so that a new one cannot be forgotten; `?` marks what may be absent. */
type Shape<E> = {
  readonly [
    Field in Exclude<keyof E, "v" | "id" | "at" | "seq" | "type">
  ]-?: undefined extends E[Field] ? `${FieldKind}?` : FieldKind;
};

type Shapes = { readonly [Type in EntryType]: Shape<EntryOf<Type>> };

const shapes: Shapes = {
  created: {
    incarnation: "string?",
    agent: "string",
    principal: "string?",
    title: "string?",
    metadata: "any?",
    config: "object?",
  },
  prompt: {
    turnId: "string",
    instructions: "string?",
    toolsHash: "string",
    toolsChars: "number?",
  },
  turn_started: { turnId: "string", input: "array", continues: "string?" },
  turn_resumed: { turnId: "string", epoch: "number" },
  turn_ended: {
    turnId: "string",
    finishReason: "string",
    usage: "object",
    cost: "number?",
    durationMs: "number?",
    pending: "array?",
    error: "object?",
    abortReason: "string?",
  },
  attempt: { turnId: "string", step: "number", attempt: "number", messageId: "string" },
  attempt_ended: {
    turnId: "string",
    step: "number",
    attempt: "number",
    outcome: "string",
    usage: "object?",
    cost: "number?",
    model: "string?",
    priceId: "string?",
    timing: "object?",
    error: "object?",
    delayMs: "number?",
  },
  message: { turnId: "string", step: "number", message: "message", cost: "number?" },
  pending: { turnId: "string", step: "number", pending: "array" },
  tool_intent: {
    turnId: "string",
    step: "number",
    toolCallId: "string",
    key: "string",
    input: "any?",
  },
  tool_result: {
    turnId: "string",
    step: "number",
    toolCallId: "string",
    toolName: "string",
    result: "object",
    durationMs: "number?",
    usage: "object?",
    cost: "number?",
  },
  queue_settled: { turnId: "string", ids: "array", outcome: "object" },
  compaction_started: { turnId: "string" },
  compaction: {
    turnId: "string",
    through: "string",
    summary: "string",
    before: "number",
    after: "number",
    usage: "object?",
    cost: "number?",
    model: "string?",
    priceId: "string?",
    requests: "array?",
  },
  compaction_failed: {
    turnId: "string",
    reason: "string",
    before: "number",
    error: "object?",
    usage: "object?",
    cost: "number?",
    model: "string?",
    priceId: "string?",
    requests: "array?",
  },
  eviction: { turnId: "string", toolCallIds: "array" },
  quarantine: { turnId: "string", messageId: "string", part: "number" },
  history_cleared: {},
  history_loaded: { messages: "array" },
  forked_from: { sessionId: "string", throughSeq: "number" },
  input: { messages: "array", options: "object?" },
  steer: { message: "message" },
  follow_up: { message: "message" },
  answer: { toolCallId: "string", result: "object" },
  decision: { toolCallId: "string", hash: "string", isApproved: "boolean", reason: "string?" },
  call_claimed: { toolCallId: "string", claimedBy: "string", leaseMs: "number" },
  queue_cleared: { queue: "string" },
  cancel_requested: { turnId: "string", reason: "string?" },
  config: { config: "object" },
  compact: { directives: "string?" },
};

interface Field {
  readonly name: string;
  readonly kind: FieldKind;
  readonly isOptional: boolean;
}

/** Made once: the check is run for every entry of every log that is opened. */
const fieldsOf: ReadonlyMap<string, readonly Field[]> = new Map(
  Object.entries(shapes).map(([type, shape]) => [type, Object.entries(shape).map(toField)]),
);

function toField([name, marked]: [name: string, kind: string]): Field {
  const isOptional = marked.endsWith("?");
  // The type of `shapes` lets nothing else stand there.
  const kind = (isOptional ? marked.slice(0, -1) : marked) as FieldKind;
  return { name, kind, isOptional };
}

export function isKnownType(type: string): boolean {
  return fieldsOf.has(type);
}

/** What is wrong with an entry of a known type, in words that follow "its"; undefined if nothing is. */
export function shapeFault(
  entry: { readonly [field: string]: unknown },
  type: string,
): string | undefined {
  for (const { name, kind, isOptional } of fieldsOf.get(type) ?? []) {
    const value = entry[name];
    if (value === undefined && isOptional) continue;
    if (value === undefined) return `${name} is missing`;
    const fault = kindFault(value, kind);
    if (fault !== undefined) return `${name}${fault}`;
  }
  return undefined;
}

function kindFault(value: unknown, kind: FieldKind): string | undefined {
  switch (kind) {
    case "string":
    case "number":
    case "boolean":
      return typeof value === kind ? undefined : ` is not a ${kind}`;
    case "array":
      return Array.isArray(value) ? undefined : " is not a list";
    case "object":
      return isObject(value) ? undefined : " is not an object";
    case "message":
      return messageFault(value);
    case "any":
      return undefined;
    default:
      return kind satisfies never;
  }
}

/** The parts of a reply are read to find its calls. */
function messageFault(value: unknown): string | undefined {
  if (!isObject(value)) return " is not an object";
  if (typeof value["id"] !== "string") return ".id is not a string";
  if (typeof value["role"] !== "string") return ".role is not a string";
  const isListMissing = value["role"] === "assistant" && !Array.isArray(value["content"]);
  return isListMissing ? ".content is not a list" : undefined;
}

function isObject(value: unknown): value is { readonly [field: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
