/** The rules that the events of a turn can break. */
import type { AgentEvent } from "@capstan/kernel";
import type { Problem } from "./problem.ts";

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

export interface EventProblem extends Problem<EventProblemCode> {
  /** Of the event at `index`. */
  readonly type: AgentEvent["type"];
}

/** Collects the problems of one checker. */
export class EventProblems {
  readonly found: EventProblem[] = [];

  add(index: number, event: AgentEvent, code: EventProblemCode, text: string): void {
    this.found.push({ code, message: `${event.type}: ${text}`, index, type: event.type });
  }
}

/** JSON values of equal content, whatever the order of their keys. */
export function isSameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  try {
    return JSON.stringify(sortKeys(left)) === JSON.stringify(sortKeys(right));
  } catch {
    // A value that is not JSON is reported as that; here only its identity counts.
    return false;
  }
}

function sortKeys(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sortKeys);
  const entries = Object.entries(value).map(([key, inner]) => [key, sortKeys(inner)] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
