/** What a run must not show. */

export type CrashViolationCode =
  /** The messages, at the end or in a request to the model, are no transcript. */
  | "transcript"
  /** The log contradicts itself: a turn without an end or with two, a call with two results, a gap. */
  | "log"
  /** An entry was appended by a host that another one had followed. */
  | "fence"
  /** Something that the client was told is not in the log. */
  | "acknowledged"
  /** A queued message, an answer or a cancel is in the log, and had no effect, or twice. */
  | "effectless"
  /** A reader missed an event, saw one twice, out of order or with other content. */
  | "events"
  /** A model was asked with other messages, instructions, tools or options than the log and the client say. */
  | "requests"
  /** A fork is not what its original was at that place, or shares something with it. */
  | "fork"
  /** A session of a crowd did not come to its end, or was tried too often. */
  | "crowd"
  /** A session was claimed again, while others that were due had not been claimed. */
  | "fairness"
  /** A slot was free while something was due. */
  | "idle"
  /** Something of a session shows in another one of its id. */
  | "incarnation"
  /** What a tool did to the world is not what it declares. */
  | "effects"
  /** The response of a turn is not what the log says. */
  | "response"
  /** Nothing is left to do, and the session does not look like it. */
  | "rest"
  /** It never came to rest. */
  | "stuck"
  /** The end is another one than without the faults. */
  | "final-state"
  /** A call failed for no reason that the scenario gives. */
  | "failure";

export interface CrashViolation {
  readonly code: CrashViolationCode;
  readonly message: string;
}

export class Violations {
  readonly #found = new Map<string, CrashViolation>();

  get all(): readonly CrashViolation[] {
    return [...this.#found.values()];
  }

  add(code: CrashViolationCode, message: string): void {
    this.#found.set(`${code} ${message}`, { code, message });
  }
}
