/** What a process takes from one moment to another. */

export interface Metered {
  readonly cpuMs: number;
  readonly wallMs: number;
  /** How far its resident memory has risen. */
  readonly rssBytes: number;
}

const sampleMs = 50;

export class Meter {
  #cpuBefore = process.cpuUsage();
  #startedAt = performance.now();
  #rssBefore = 0;
  #rssPeak = 0;

  constructor() {
    setInterval(() => {
      this.#rssPeak = Math.max(this.#rssPeak, process.memoryUsage.rss());
    }, sampleMs);
  }

  begin(): void {
    globalThis.gc?.();
    this.#rssBefore = process.memoryUsage.rss();
    this.#rssPeak = this.#rssBefore;
    this.#cpuBefore = process.cpuUsage();
    this.#startedAt = performance.now();
  }

  end(): Metered {
    const { user, system } = process.cpuUsage(this.#cpuBefore);
    return {
      cpuMs: (user + system) / 1_000,
      wallMs: performance.now() - this.#startedAt,
      rssBytes: this.#rssPeak - this.#rssBefore,
    };
  }
}
