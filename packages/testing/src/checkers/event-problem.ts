/** Rules for the events of a turn. */
import type { AgentEventBody } from "@capstan/kernel";
import type { Problem } from "./problem.ts";

/** Codes of an `EventProblem`. */
export type EventProblemCode =
  | "turn-start"
  | "turn-end"
  | "foreign-ids"
  | "not-json"
  | "input"
  | "step-order"
  | "attempt-order"
  | "message-order"
  | "part-order"
  | "content-mismatch"
  | "execution-order"
  | "result-mismatch";

/** A broken rule of event order, and the event that breaks it. */
export interface EventProblem extends Problem<EventProblemCode> {
  /** Type of the event at `index`. */
  readonly type: AgentEventBody["type"];
}

/** Collects the problems of one checker. */
export class EventProblems {
  readonly found: EventProblem[] = [];

  add(index: number, event: AgentEventBody, code: EventProblemCode, text: string): void {
    this.found.push({ code, message: `${event.type}: ${text}`, index, type: event.type });
  }
}

/** Compares JSON values, ignoring the order of keys. */
export function isSameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  try {
    return JSON.stringify(sortKeys(left)) === JSON.stringify(sortKeys(right));
  } catch {
    // A value that is not JSON is reported separately; here only its identity counts.
    return false;
  }
}

function sortKeys(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sortKeys);
  const entries = Object.entries(value).map(([key, inner]) => [key, sortKeys(inner)] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
