/** Ends every wait: a server that was stopped or cut off neither answers nor hangs up. */

interface Waiting {
  readonly until: number;
  readonly giveUp: () => void;
}

export class Deadlines {
  readonly #timeoutMs: number;
  /** In order of deadline. */
  readonly #waiting = new Set<Waiting>();
  #timer: NodeJS.Timeout | undefined;
  #onIdle: (() => void) | undefined;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** Rejects if the promise takes too long; its later result is ignored. */
  watch<T>(promise: PromiseLike<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const giveUp = (): void => reject(new TimeoutError(this.#timeoutMs));
      const waiting: Waiting = { until: performance.now() + this.#timeoutMs, giveUp };
      this.#waiting.add(waiting);
      this.#timer ??= setInterval(() => this.#look(), this.#periodMs()).unref();
      promise.then(
        (value) => {
          this.#end(waiting);
          resolve(value);
        },
        (thrown: unknown) => {
          this.#end(waiting);
          reject(thrown instanceof Error ? thrown : new Error(String(thrown)));
        },
      );
    });
  }

  /** Longer intervals would overflow to 1 ms. */
  #periodMs(): number {
    return Math.min(this.#timeoutMs / 10, 2 ** 31 - 1);
  }

  /** Resolves once nothing is waiting. */
  async idle(): Promise<void> {
    if (this.#waiting.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onIdle = resolve;
    await promise;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #end(waiting: Waiting): void {
    this.#waiting.delete(waiting);
    if (this.#waiting.size === 0) this.#onIdle?.();
  }

  #look(): void {
    const now = performance.now();
    const missed = [...this.#waiting].filter(({ until }) => until <= now);
    for (const waiting of missed) {
      this.#end(waiting);
      waiting.giveUp();
    }
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

class TimeoutError extends Error {
  readonly code = "ETIMEDOUT";

  constructor(ms: number) {
    super(`no answer within ${ms} ms`);
  }
}
