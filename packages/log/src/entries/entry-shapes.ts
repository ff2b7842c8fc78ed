/** Shapes of the fields of each entry, limited to what folds and events read. */
import type { EntryOf, EntryType, NewEntry } from "./entries.ts";
import type { Fault } from "./value-shapes.ts";
import {
  budgetFault,
  configFault,
  errorFault,
  isObject,
  messageFault,
  messagesFault,
  outcomeFault,
  pendingFault,
  reportFault,
  resultFault,
  stringsFault,
  usageFault,
} from "./value-shapes.ts";

type FieldKind =
  | "string"
  | "number"
  | "boolean"
  | "strings"
  | "object"
  | "message"
  | "messages"
  /** Pending calls. */
  | "pending"
  | "result"
  | "usage"
  | "config"
  /** Outcome of queued items. */
  | "outcome"
  /** Report of a child session. */
  | "report"
  /** Slice of budgets. */
  | "budget"
  | "error"
  | "any";

/** Every field of the entry, so that a new one cannot be forgotten; `?` marks optional fields. */
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
    app: "any?",
    config: "config?",
    parent: "object?",
  },
  child_started: {
    turnId: "string",
    toolCallId: "string",
    childId: "string",
    agent: "string",
    mode: "string?",
    timeoutMs: "number?",
    budget: "budget?",
  },
  child_granted: {
    turnId: "string",
    toolCallId: "string",
    childId: "string",
    childSeq: "number",
    budget: "budget",
    isRefused: "boolean?",
  },
  child_waiting: {
    turnId: "string",
    toolCallId: "string",
    childId: "string",
    childSeq: "number",
    pending: "pending",
  },
  handed_off: {
    turnId: "string",
    toolCallId: "string",
    agent: "string",
    hidden: "strings?",
  },
  child_ended: {
    turnId: "string",
    toolCallId: "string",
    childId: "string",
    outcome: "string",
    reason: "string?",
    usage: "usage?",
    cost: "number?",
  },
  prompt: {
    turnId: "string",
    instructions: "string?",
    toolsHash: "string",
    toolsChars: "number?",
  },
  turn_started: { turnId: "string", input: "strings", continues: "string?" },
  turn_resumed: { turnId: "string", epoch: "number" },
  turn_ended: {
    turnId: "string",
    finishReason: "string",
    usage: "usage",
    cost: "number?",
    durationMs: "number?",
    pending: "pending?",
    error: "error?",
    abortReason: "string?",
  },
  attempt: {
    turnId: "string",
    step: "number",
    attempt: "number",
    messageId: "string",
    model: "string?",
    modelIndex: "number?",
  },
  attempt_ended: {
    turnId: "string",
    step: "number",
    attempt: "number",
    outcome: "string",
    usage: "usage?",
    cost: "number?",
    model: "string?",
    priceId: "string?",
    timing: "object?",
    error: "error?",
    delayMs: "number?",
    rejected: "message?",
  },
  step_prepared: { turnId: "string", step: "number", choice: "any", messages: "messages?" },
  input_rejected: { turnId: "string", step: "number", messageIds: "strings", error: "error" },
  message: { turnId: "string", step: "number", message: "message", cost: "number?" },
  pending: { turnId: "string", step: "number", pending: "pending" },
  suspended: {
    turnId: "string",
    step: "number",
    toolCallId: "string",
    pending: "pending",
    state: "any",
    wakeAt: "number?",
    reports: "number?",
    isNested: "boolean?",
    input: "any?",
    usage: "usage?",
    cost: "number?",
  },
  nested_intent: {
    turnId: "string",
    step: "number",
    within: "string",
    toolCallId: "string",
    toolName: "string",
    input: "any",
    hash: "string",
    key: "string",
  },
  nested_result: {
    turnId: "string",
    step: "number",
    within: "string",
    toolCallId: "string",
    toolName: "string",
    input: "any?",
    hash: "string",
    result: "result",
    durationMs: "number?",
    usage: "usage?",
    cost: "number?",
  },
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
    result: "result",
    durationMs: "number?",
    usage: "usage?",
    cost: "number?",
  },
  queue_settled: { turnId: "string", ids: "strings", outcome: "outcome" },
  compaction_started: { turnId: "string" },
  compaction: {
    turnId: "string",
    through: "string",
    summary: "string",
    before: "number",
    after: "number",
    usage: "usage?",
    cost: "number?",
    model: "string?",
    priceId: "string?",
    requests: "strings?",
  },
  compaction_failed: {
    turnId: "string",
    reason: "string",
    before: "number",
    error: "error?",
    usage: "usage?",
    cost: "number?",
    model: "string?",
    priceId: "string?",
    requests: "strings?",
  },
  checkpoint: { state: "object", sum: "string?" },
  eviction: { turnId: "string", toolCallIds: "strings" },
  quarantine: { turnId: "string", messageId: "string", part: "number" },
  history_cleared: {},
  history_loaded: { messages: "messages" },
  history_rewound: { to: "string", isBefore: "boolean?" },
  forked_from: { sessionId: "string", throughSeq: "number" },
  input: {
    messages: "messages",
    options: "object?",
    metadata: "any?",
    app: "any?",
    settles: "string?",
    trace: "string?",
    call: "string?",
    budget: "budget?",
  },
  steer: { message: "message", app: "any?", trace: "string?" },
  follow_up: { message: "message", app: "any?", trace: "string?" },
  answer: { toolCallId: "string", result: "result" },
  decision: { toolCallId: "string", hash: "string", isApproved: "boolean", reason: "string?" },
  call_claimed: { toolCallId: "string", claimedBy: "string", leaseMs: "number" },
  child_reported: {
    toolCallId: "string",
    childId: "string",
    childSeq: "number",
    report: "report",
  },
  budget_granted: {
    call: "string",
    childSeq: "number",
    budget: "budget",
    isRefused: "boolean?",
  },
  queue_cleared: { queue: "string" },
  cancel_requested: { turnId: "string", reason: "string?" },
  abandon_requested: { turnId: "string", reason: "string?" },
  config: { config: "config" },
  compact: { directives: "string?" },
};

interface Field {
  readonly name: string;
  readonly kind: FieldKind;
  readonly isOptional: boolean;
}

/** Created once: the check runs for every entry of every log that is opened. */
const fieldsOf: ReadonlyMap<string, readonly Field[]> = new Map(
  Object.entries(shapes).map(([type, shape]) => [type, Object.entries(shape).map(toField)]),
);

function toField([name, marked]: [name: string, kind: string]): Field {
  const isOptional = marked.endsWith("?");
  // The type of `shapes` allows nothing else.
  const kind = (isOptional ? marked.slice(0, -1) : marked) as FieldKind;
  return { name, kind, isOptional };
}

export function isKnownType(type: string): boolean {
  return fieldsOf.has(type);
}

/** Fault of an entry of a known type, worded to follow "its"; undefined if there is none. */
export function shapeFault(entry: { readonly [field: string]: unknown }, type: string): Fault {
  for (const { name, kind, isOptional } of fieldsOf.get(type) ?? []) {
    const value = entry[name];
    if (value === undefined && isOptional) continue;
    if (value === undefined) return `${name} is missing`;
    const fault = kindFault(value, kind);
    if (fault !== undefined) return `${name}${fault}`;
  }
  return undefined;
}

/** Like `shapeFault`, but stricter: for an entry that is to be written. */
export function newShapeFault(entry: NewEntry): Fault {
  if (isSoundStep(entry)) return undefined;
  // The fields are what is being checked.
  const fields = entry as unknown as { readonly [field: string]: unknown };
  const fault = shapeFault(fields, entry.type);
  if (fault !== undefined || fields["error"] === undefined) return fault;
  const inError = errorFault(fields["error"]);
  return inError && `error${inError}`;
}

/**
 * Fast path for the entries that every step of every turn writes: reading each field by name takes half the time. It accepts nothing that
 * the shapes refuse; other entries are left to the shapes.
 */
function isSoundStep(entry: NewEntry): boolean {
  switch (entry.type) {
    case "attempt":
      return (
        isSoundPlace(entry) &&
        isNumber(entry.attempt) &&
        isText(entry.messageId) &&
        (entry.model === undefined || isText(entry.model)) &&
        (entry.modelIndex === undefined || isNumber(entry.modelIndex))
      );
    case "attempt_ended":
      return (
        isSoundPlace(entry) &&
        isNumber(entry.attempt) &&
        isText(entry.outcome) &&
        entry.error === undefined &&
        (entry.usage === undefined || usageFault(entry.usage) === undefined) &&
        (entry.cost === undefined || isNumber(entry.cost)) &&
        (entry.model === undefined || isText(entry.model)) &&
        (entry.priceId === undefined || isText(entry.priceId)) &&
        (entry.timing === undefined || isObject(entry.timing)) &&
        (entry.delayMs === undefined || isNumber(entry.delayMs)) &&
        entry.rejected === undefined
      );
    case "message":
      return (
        isSoundPlace(entry) &&
        messageFault(entry.message) === undefined &&
        (entry.cost === undefined || isNumber(entry.cost))
      );
    case "tool_intent":
      return isSoundPlace(entry) && isText(entry.toolCallId) && isText(entry.key);
    case "tool_result":
      return (
        isSoundPlace(entry) &&
        isText(entry.toolCallId) &&
        isText(entry.toolName) &&
        resultFault(entry.result) === undefined &&
        (entry.durationMs === undefined || isNumber(entry.durationMs)) &&
        entry.usage === undefined &&
        entry.cost === undefined
      );
    default:
      return false;
  }
}

function isSoundPlace(entry: { readonly turnId: string; readonly step: number }): boolean {
  return isText(entry.turnId) && isNumber(entry.step);
}

// Typed as a string, but untyped code may pass anything.
function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isNumber(value: unknown): boolean {
  return Number.isFinite(value);
}

function kindFault(value: unknown, kind: FieldKind): Fault {
  switch (kind) {
    case "string":
    case "boolean":
      return typeof value === kind ? undefined : ` is not a ${kind}`;
    case "number":
      // JSON has no other numbers.
      return Number.isFinite(value) ? undefined : " is not a number";
    case "object":
    case "error":
      return isObject(value) ? undefined : " is not an object";
    case "strings":
      return stringsFault(value);
    case "message":
      return messageFault(value);
    case "messages":
      return messagesFault(value);
    case "pending":
      return pendingFault(value);
    case "result":
      return resultFault(value);
    case "usage":
      return usageFault(value);
    case "config":
      return configFault(value);
    case "outcome":
      return outcomeFault(value);
    case "report":
      return reportFault(value);
    case "budget":
      return budgetFault(value);
    case "any":
      return undefined;
    default:
      return kind satisfies never;
  }
}
