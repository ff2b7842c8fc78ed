/** Sends that wait until the turn that this process resumed has come to rest. Nothing of them is in the log yet. */
import { SessionError } from "../errors/session-error.ts";

export class WaitingSends {
  readonly #sessionId: string;
  /** Functions that end the wait, by the id of the send. */
  readonly #waiting = new Map<string, () => void>();
  #all: Promise<unknown> | undefined;

  constructor(sessionId: string) {
    this.#sessionId = sessionId;
  }

  /** Resolves once none of them waits any more; undefined if none does. */
  get settled(): Promise<unknown> | undefined {
    return this.#all;
  }

  /** Calls `send` once `rest` resolves. Calls `onFailed` if that rejects, or if the wait is ended before. */
  add(
    id: string,
    rest: Promise<void>,
    send: () => unknown,
    onFailed: (why: unknown) => void,
  ): void {
    const ended = Promise.withResolvers<never>();
    this.#waiting.set(id, () => ended.reject(this.#notSent()));
    const over = Promise.race([rest, ended.promise])
      .finally(() => this.#waiting.delete(id))
      .then(send, onFailed);
    const all: Promise<unknown> = Promise.all([this.#all, over]).finally(() => {
      if (this.#all === all) this.#all = undefined;
    });
    this.#all = all;
  }

  /** Ends the wait of this send. Returns false if it does not wait. */
  end(id: string): boolean {
    const end = this.#waiting.get(id);
    end?.();
    return end !== undefined;
  }

  #notSent(): SessionError {
    const sessionId = this.#sessionId;
    const message = `Nothing was sent: the send was aborted while it waited for the resumed turn of session ${sessionId}. Send it again`;
    return new SessionError("not_sent", message, { sessionId });
  }
}
