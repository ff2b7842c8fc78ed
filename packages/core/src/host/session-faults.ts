/** Failures of one session in this process: where they are reported, and how long the session backs off after them. */
import type { SessionEvent } from "@capstan/log";
import { isRepositoryError } from "@capstan/log";
import { idleTimerOf } from "../platform/clock.ts";
import type { HostFault } from "./host-fault.ts";
import { SessionError } from "../errors/session-error.ts";
import type { SessionHost } from "../session/session-host.ts";
import type { SessionTurn } from "../following/session-turn.ts";

/** Longest back-off of a session whose failure could not be recorded. */
const maxBackOffMs = 3_600_000;

export class SessionFaults {
  readonly #sessionId: string;
  readonly #host: SessionHost;
  #notBefore = -Infinity;
  /** Number of consecutive failures that could not be recorded. */
  #unrecorded = 0;
  /** Whether the store is known to be unavailable: an outage is reported once. */
  #isStoreAway = false;
  /** Turn whose failure was already reported by its cause. */
  #reportedTurnId: string | undefined;

  constructor(sessionId: string, host: SessionHost) {
    this.#sessionId = sessionId;
    this.#host = host;
  }

  report(fault: HostFault): void {
    const { where, error, turnId } = fault;
    if (where === "engine") this.#reportedTurnId = turnId;
    if (where === "store") {
      // A lost lease or a deleted session is not a failure.
      const isAway = isRepositoryError(error) && error.code === "unavailable";
      if (!isAway || this.#isStoreAway) return;
      this.#isStoreAway = true;
    }
    this.#host.report(fault);
  }

  /** The turn failed under this process's lease: reports it if no caller looked at any of these handles. */
  reportTurn(
    { turnId, error }: Extract<SessionEvent, { readonly type: "error" }>,
    handles: readonly SessionTurn[],
  ): void {
    // A caller wanted the end of an abandoned turn.
    if (error.code === "abandoned" || turnId === this.#reportedTurnId) return;
    const sessionId = this.#sessionId;
    const failure = new SessionError("no_answer", error.message, { sessionId, turnError: error });
    this.reportUnseen(failure, turnId, handles);
  }

  /** Gives callers time to look at the handle they just got. */
  reportUnseen(error: unknown, turnId: string, handles: readonly SessionTurn[]): void {
    if (handles.some(isLookedAt)) return;
    idleTimerOf(this.#host.clock)(0, () => {
      if (handles.some(isLookedAt)) return;
      this.#host.report({ error, where: "turn", sessionId: this.#sessionId, turnId });
    });
  }

  /** Whether the session should be left alone for now. */
  isBackingOff(now: number): boolean {
    return now < this.#notBefore;
  }

  /** Backs off for the duration of a lease, doubled each time. */
  backOff(now: number): void {
    const ms = this.#host.leaseMs * 2 ** this.#unrecorded;
    this.#notBefore = now + Math.min(maxBackOffMs, ms);
    this.#unrecorded += 1;
  }

  /** The work on the session ended normally. */
  reset(): void {
    this.#notBefore = -Infinity;
    this.#unrecorded = 0;
    this.#isStoreAway = false;
  }
}

function isLookedAt(turn: SessionTurn): boolean {
  return turn.isLookedAt;
}
