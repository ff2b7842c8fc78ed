/** Deltas at a steady rate for any number of streams, with few timers for all of them: what paces the load must not be the load. */

const phases = 10;

interface Phase {
  ticks: number;
  waiting: (() => void)[];
}

export class Pace {
  readonly #phases: Phase[] = Array.from({ length: phases }, () => ({ ticks: 0, waiting: [] }));
  #streams = 0;

  constructor(perSecond: number) {
    let place = 0;
    setInterval(
      () => {
        const phase = this.#phases[place++ % phases];
        if (phase === undefined) return;
        phase.ticks += 1;
        const { waiting } = phase;
        phase.waiting = [];
        for (const go of waiting) go();
      },
      1_000 / perSecond / phases,
    );
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
