/** State of a suspended call, with which any process continues it. Stored in the log as JSON. */
import type { JsonValue } from "@capstan/kernel";
import type { McpElicitation, McpElicitationAnswer } from "../elicitation/elicitation.ts";

/** A call, as the server gets it: repeated byte for byte. */
export interface ServerCall {
  readonly tool: string;
  readonly arguments: JsonValue;
}

/** A question that waits, and the id of the pending call that shows it. */
export interface Asked {
  readonly id: string;
  readonly key: string;
  readonly elicitation: McpElicitation;
}

export type Responses = Readonly<Record<string, McpElicitationAnswer>>;

interface Common {
  readonly call: ServerCall;
  readonly asked: readonly Asked[];
  /** Answers so far, by the keys of the server. */
  readonly responses: Responses;
  /** How often the user was asked, or the server was not reachable. Both have a limit. */
  readonly rounds: number;
  readonly failures: number;
}

/** The server needs input before it runs the call. */
export interface InputState extends Common {
  readonly kind: "input";
  /** Echoed to the server as it was. */
  readonly requestState?: string;
}

/** The server works on the call as a task. */
export interface TaskState extends Common {
  readonly kind: "task";
  readonly taskId: string;
  /** Keys of questions that were answered: a server may list them again for a while. */
  readonly answered: readonly string[];
  /** Polls without news; the time between them grows. */
  readonly polls: number;
}

export type CallState = InputState | TaskState;

/** The log holds what this file wrote, or what a newer version did. */
export function toCallState(state: JsonValue | undefined): CallState | undefined {
  const { kind } = (state ?? {}) as { readonly kind?: unknown };
  return kind === "input" || kind === "task" ? (state as unknown as CallState) : undefined;
}

export function toStored(state: CallState): JsonValue {
  // Only JSON is in it.
  return state as unknown as JsonValue;
}
