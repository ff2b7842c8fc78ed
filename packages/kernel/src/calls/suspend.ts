/** Suspension of a call by its own tool: the turn may end, and the tool runs again once what it waits for has happened. */
import type { JsonValue } from "../contracts/conversation.ts";
import type { PendingCall } from "../contracts/events.ts";
import { hashJson } from "../effects/hash.ts";
import { toJson } from "../effects/json.ts";

/** Marks a suspension, so that no other return value of a tool is mistaken for one. */
const mark: unique symbol = Symbol.for("capstan.suspension");

/** A question to the outside. Fields that are left out are those of the call itself. */
export type Question = Pick<PendingCall, "kind" | "input"> & Partial<PendingCall>;

/** Questions that a call waits for, and the state that it continues with. */
export interface SuspensionRequest {
  /** Questions that must all be answered before the tool runs again. May be empty if `wakeAt` or `reports` is set. */
  readonly questions: readonly Question[];
  /** Kept in the log, and passed to the next run as `resumed.state`. */
  readonly state: JsonValue;
  /** The tool runs again at this time, even if questions are unanswered. */
  readonly wakeAt?: number;
  /** Number of reports about the call that the tool has seen: another one runs it again. */
  readonly reports?: number;
}

/** Return value of `suspend`. */
export interface Suspension extends SuspensionRequest {
  readonly [mark]: true;
}

/**
 * Suspends a call: `execute` returns the value of this function. The questions become pending, nothing is held in memory, and any process may
 * run the tool again, with `context.resumed` set.
 */
export function suspend(request: SuspensionRequest): Suspension {
  return { ...request, [mark]: true };
}

export function isSuspension(value: unknown): value is Suspension {
  return typeof value === "object" && value !== null && mark in value;
}

/** The call that is suspended, and the time limit for answers. */
export interface SuspendedCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly deadlineAt: number;
}

/** The suspension as it is recorded: complete questions, plain JSON. Throws if a tool in JavaScript left out what it needs. */
export function completeSuspension(
  { questions, state, wakeAt, reports }: Suspension,
  call: SuspendedCall,
): Omit<SuspensionRequest, "questions"> & { readonly pending: readonly PendingCall[] } {
  if (!Array.isArray(questions)) throw new TypeError("`questions` of a suspension must be a list");
  if (questions.length === 0 && wakeAt === undefined && reports === undefined) {
    throw new TypeError("A suspension without questions needs `wakeAt` or `reports`");
  }
  return {
    pending: questions.map((question) => toPending(question, call)),
    state: toJson(state) ?? null,
    ...(wakeAt !== undefined && { wakeAt: finite(wakeAt, "wakeAt") }),
    ...(reports !== undefined && { reports: finite(reports, "reports") }),
  };
}

function finite(value: number, name: string): number {
  if (Number.isFinite(value)) return value;
  throw new TypeError(`\`${name}\` of a suspension must be a finite number`);
}

function toPending(question: Question, call: SuspendedCall): PendingCall {
  const { kind, toolCallId = call.toolCallId, toolName = call.toolName, ...rest } = question;
  if (kind !== "execution" && kind !== "approval") {
    throw new TypeError('The `kind` of a question must be "execution" or "approval"');
  }
  const input = toJson(question.input) ?? null;
  const { hash = hashJson([toolName, input, toolCallId]), deadlineAt = call.deadlineAt } = rest;
  const { reason, lentBy, via } = rest;
  return {
    toolCallId,
    kind,
    toolName,
    input,
    hash,
    ...(Number.isFinite(deadlineAt) && { deadlineAt }),
    ...(reason !== undefined && { reason }),
    ...(lentBy !== undefined && { lentBy }),
    ...(via !== undefined && { via }),
  };
}
