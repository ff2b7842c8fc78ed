/** One place where a turn learns that it must stop, with one listener on the caller's signal. */

export class TurnAbort {
  readonly #source: AbortSignal | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #onSource: () => void = () => this.#fire();
  #controller: AbortController | undefined;
  #isAborted = false;
  #isReleased = false;

  constructor(source: AbortSignal | undefined) {
    this.#source = source;
    if (source === undefined) return;
    if (source.aborted) this.#isAborted = true;
    else source.addEventListener("abort", this.#onSource);
  }

  get isAborted(): boolean {
    return this.#isAborted;
  }

  /** What the caller gave as reason, where it says something. */
  get reason(): string | undefined {
    const reason: unknown = this.#source?.reason;
    if (typeof reason === "string") return reason;
    // The platform's own default is an AbortError that says nothing.
    if (!(reason instanceof Error) || reason.name === "AbortError") return undefined;
    return reason.message;
  }

  /** For code of the caller: fires on abort, and when the turn had to give up. Made at the first read. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#isAborted || this.#isReleased) this.#controller.abort(this.#source?.reason);
    }
    return this.#controller.signal;
  }

  /** Calls `listener` once on abort; not if it has happened already. Returns how to take it off. */
  onAbort(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Tells code that still runs that nobody waits for it any more. */
  release(): void {
    this.#isReleased = true;
    this.#controller?.abort(this.#source?.reason);
  }

  close(): void {
    this.#source?.removeEventListener("abort", this.#onSource);
    this.#listeners.clear();
  }

  #fire(): void {
    this.#isAborted = true;
    this.release();
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener();
  }
}
