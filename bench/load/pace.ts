/** Deltas at a steady rate for any number of streams, with one timer for all of them: what paces the load must not be the load. */

/** The streams of one get their deltas at the same moment. */
const phases = 10;
/** The shortest interval that a timer of Node has. */
const shortestMs = 1;

interface Phase {
  ticks: number;
  waiting: (() => void)[];
}

export class Pace {
  readonly #phases: Phase[] = Array.from({ length: phases }, () => ({ ticks: 0, waiting: [] }));
  #streams = 0;

  constructor(perSecond: number) {
    const everyMs = 1_000 / perSecond / phases;
    const startedAt = performance.now();
    let ticks = 0;
    // A timer comes late, and not more often than once a millisecond: by the clock there may be several phases to serve.
    setInterval(
      () => {
        const due = Math.floor((performance.now() - startedAt) / everyMs);
        for (; ticks < due; ticks++) this.#tick(this.#phases[ticks % phases] as Phase);
      },
      Math.max(shortestMs, everyMs),
    );
  }

  #tick(phase: Phase): void {
    phase.ticks += 1;
    const { waiting } = phase;
    phase.waiting = [];
    for (const go of waiting) go();
  }

  /** For one stream. Each tells its number and when it was made; one that is late is not left out. */
  async *deltas(count: number): AsyncGenerator<string> {
    const phase = this.#phases[this.#streams++ % phases] as Phase;
    const first = phase.ticks;
    for (let n = 0; n < count; n += 1) {
      while (phase.ticks <= first + n) {
        await new Promise<void>((resolve) => phase.waiting.push(resolve));
      }
      yield `${n} ${stamp().toFixed(2)} `;
    }
  }
}

/** The same in all processes of the machine. */
export function stamp(): number {
  return performance.timeOrigin + performance.now();
}
