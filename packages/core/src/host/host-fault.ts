/** Failures that no caller is told of: where they are reported, and what happens if no one has asked to hear of them. */
import type { Logger } from "@capstan/kernel";
import { background, isPromise, serializeError } from "@capstan/kernel";

/** Part of a host in which something failed. */
export type FaultPlace =
  /** A turn that ended in an error, whose response and events were not looked at. */
  | "turn"
  /** A listener of a session. */
  | "listener"
  /** A hook of the agent. The call is blocked, or its result withheld. */
  | "hook"
  /** The search for sessions that are due. */
  | "claim"
  /** The store did not take or give what the work on a session needs. The session goes on when it does. */
  | "store"
  /** The runtime itself, or a store that breaks its contract. The turn under way ends in an error. */
  | "engine";

export interface HostFault {
  /** As it was thrown. */
  readonly error: unknown;
  readonly where: FaultPlace;
  readonly sessionId?: string;
  readonly turnId?: string;
}

/** Takes what no caller hears of. What it throws is dropped. */
export type OnFault = (fault: HostFault) => void;

/** Different causes that are warned of; a cause is the place and the message. */
const maxCauses = 100;

export class FaultReports {
  readonly #onError: OnFault | undefined;
  readonly #loggerOf: (sessionId: string | undefined) => Logger | undefined;
  readonly #warned = new Set<string>();

  constructor(
    onError: OnFault | undefined,
    loggerOf: (sessionId: string | undefined) => Logger | undefined,
  ) {
    this.#onError = onError;
    this.#loggerOf = loggerOf;
  }

  /** Never throws. */
  report(fault: HostFault): void {
    try {
      const returned: unknown = this.#tell(fault);
      // An async callback is not what the types allow, but its rejection must not end the process.
      if (isPromise(returned)) background(returned, () => {});
    } catch {
      // A reporter that fails has no one left to report to.
    }
  }

  #tell(fault: HostFault): unknown {
    if (this.#onError !== undefined) return this.#onError(fault);
    const { where, sessionId, turnId } = fault;
    const { message } = serializeError(fault.error);
    const text = `${intro[where]}: ${message}`;
    const logger = this.#loggerOf(sessionId);
    if (logger !== undefined) return logger.log("error", text, { where, sessionId, turnId });
    if (this.#warned.has(text) || this.#warned.size >= maxCauses) return undefined;
    this.#warned.add(text);
    // The last resort, if there is neither a logger nor an onError.
    return console.warn(`${text} (set HostOptions.onError to handle this; shown once)`);
  }
}

const intro: Readonly<Record<FaultPlace, string>> = {
  turn: "A turn failed, and its error was not looked at",
  listener: "A session's listener threw",
  hook: "A hook threw",
  claim: "Looking for sessions that are due failed",
  store: "A session waits for its store",
  engine: "The work on a session failed",
};
