/** Failures that reach no caller: where they are reported, and the default if no `onError` is set. */
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
  /** The search for due sessions. */
  | "claim"
  /** The store failed during the work on a session. The session continues when the store is available again. */
  | "store"
  /** The runtime itself, or a store that breaks its contract. The turn in progress ends in an error. */
  | "engine";

/** Failure that no caller waits for, as `onError` gets it. */
export interface HostFault {
  /** The thrown value. */
  readonly error: unknown;
  readonly where: FaultPlace;
  readonly sessionId?: string;
  readonly turnId?: string;
}

/** Receives failures that reach no caller. Errors it throws are dropped. */
export type OnFault = (fault: HostFault) => void;

/** Maximum number of distinct causes that are warned about; a cause is the location and the message. */
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
      // The types do not allow an async callback, but its rejection must not end the process.
      if (isPromise(returned)) background(returned, () => {});
    } catch {
      // There is nowhere left to report the failure of a reporter.
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
  turn: "A turn failed, and no caller looked at its error",
  listener: "A session's listener threw",
  hook: "A hook threw",
  claim: "The search for due sessions failed",
  store: "A session waits for its store",
  engine: "The work on a session failed",
};
