/** Violations that a run can have. */

export type CrashViolationCode =
  /** The messages, at the end or in a request to the model, are not a valid transcript. */
  | "transcript"
  /** The log contradicts itself: a turn without an end or with two, a call with two results, a gap. */
  | "log"
  /** A host appended an entry after another one had taken over. */
  | "fence"
  /** Something acknowledged to the client is not in the log. */
  | "acknowledged"
  /** A queued message, an answer or a cancel is in the log, but had no effect, or had it twice. */
  | "effectless"
  /** A reader missed an event, or saw one twice, out of order or with other content. */
  | "events"
  /** A request to a model has other messages, instructions, tools or options than the log and the client have. */
  | "requests"
  /** A fork differs from its original at that point, or shares something with it. */
  | "fork"
  | "children"
  /** A session of a crowd did not end, or was tried too often. */
  | "crowd"
  /** A session was claimed again, while other due sessions had not been claimed. */
  | "fairness"
  /** A slot was free while a session was due. */
  | "idle"
  /** Something of a session appears in another one of its id. */
  | "incarnation"
  /** User code saw another session, turn or app context than the client gave. */
  | "asking"
  /** A tree of sessions has spent more than its budget, and one request of each session that was at work at once. */
  | "budget"
  /** A model or a reader was shown something that a guard rejects. */
  | "guards"
  /** A tool's effect on the world contradicts its declaration. */
  | "effects"
  /** The response of a turn contradicts the log. */
  | "response"
  /** Nothing is left to do, but the session does not look like it. */
  | "rest"
  /** The run never came to rest. */
  | "stuck"
  /** The end differs from the one without faults. */
  | "final-state"
  /** A call failed for no reason given by the scenario. */
  | "failure";

/** A guarantee that a run broke. */
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
