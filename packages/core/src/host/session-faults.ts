/** Failures of one session in this process: who hears of them, and how long the session is left alone after them. */
import type { AgentEvent } from "@capstan/kernel";
import { isRepositoryError } from "@capstan/log";
import { idleTimerOf } from "../platform/clock.ts";
import type { HostFault } from "./host-fault.ts";
import { SessionError } from "../errors/session-error.ts";
import type { SessionHost } from "../session/session-host.ts";
import type { SessionTurn } from "../following/session-turn.ts";

/** Longest time for which a session is left alone whose failure could not be recorded. */
const maxBackOffMs = 3_600_000;

export class SessionFaults {
  readonly #sessionId: string;
  readonly #host: SessionHost;
  #notBefore = -Infinity;
  /** Failures that could not be recorded, one after the other. */
  #unrecorded = 0;
  /** Whether it is known that the store is away: an outage is reported once. */
  #isStoreAway = false;
  /** Turn whose failure was reported by its cause. */
  #reportedTurnId: string | undefined;

  constructor(sessionId: string, host: SessionHost) {
    this.#sessionId = sessionId;
    this.#host = host;
  }

  report(fault: HostFault): void {
    const { where, error, turnId } = fault;
    if (where === "engine") this.#reportedTurnId = turnId;
    if (where === "store") {
      // A lease that was lost, or a session that was deleted, is nothing that failed.
      const isAway = isRepositoryError(error) && error.code === "unavailable";
      if (!isAway || this.#isStoreAway) return;
      this.#isStoreAway = true;
    }
    this.#host.report(fault);
  }

  /** The turn has failed under our lease: if none of these handles was looked at, that is reported. */
  reportTurn(
    { turnId, error }: Extract<AgentEvent, { readonly type: "error" }>,
    handles: readonly SessionTurn[],
  ): void {
    if (turnId === this.#reportedTurnId) return;
    const sessionId = this.#sessionId;
    const failure = new SessionError("no_answer", error.message, { sessionId, turnError: error });
    this.reportUnseen(failure, turnId, handles);
  }

  /** Callers get the time to look at what they were just handed. */
  reportUnseen(error: unknown, turnId: string, handles: readonly SessionTurn[]): void {
    if (handles.some(isLookedAt)) return;
    idleTimerOf(this.#host.clock)(0, () => {
      if (handles.some(isLookedAt)) return;
      this.#host.report({ error, where: "turn", sessionId: this.#sessionId, turnId });
    });
  }

  /** Whether the session should be left alone now. */
  isBackingOff(now: number): boolean {
    return now < this.#notBefore;
  }

  /** For as long as a lease, and twice as long each time. */
  backOff(now: number): void {
    const ms = this.#host.leaseMs * 2 ** this.#unrecorded;
    this.#notBefore = now + Math.min(maxBackOffMs, ms);
    this.#unrecorded += 1;
  }

  /** The work on the session ended as it should. */
  reset(): void {
    this.#notBefore = -Infinity;
    this.#unrecorded = 0;
    this.#isStoreAway = false;
  }
}

function isLookedAt(turn: SessionTurn): boolean {
  return turn.isLookedAt;
}
