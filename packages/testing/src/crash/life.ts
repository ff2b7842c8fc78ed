/** Life of one process: all its interactions with the world pass here, as long as it is alive and awake. */
import type { Timer } from "@capstan/kernel";
import type { CrashFault, CrashMoment, CrashPoint } from "./crash-run.ts";
import type { SimulatedClock } from "./simulated-clock.ts";

/** Thrown out of a call in which a process dies, if nothing else can stop it. */
export class Killed extends Error {
  override readonly name = "Killed";
}

/** More than any process reaches in a scenario: beyond this it loops, perhaps without letting the clock move. */
const maxPoints = 3_000;

export interface LifeOptions {
  readonly name: string;
  readonly clock: SimulatedClock;
  readonly faults: readonly CrashFault[];
  readonly pauseMs: number;
  onPoint(point: CrashPoint): void;
  onMoment(moment: CrashMoment): void;
  /** Called if the process does not stop by itself. */
  onEndless(what: string): void;
  /** True while faults may still occur. */
  isAtRisk(): boolean;
  /** Called when a fault occurs. The world handles `post`. */
  onFault(fault: CrashFault): void;
}

export class Life {
  readonly name: string;
  readonly died: Promise<void>;
  readonly #options: LifeOptions;
  readonly #die: () => void;
  #isDead = false;
  /** Callbacks that wait for the end of a pause; undefined while awake. */
  #held: (() => void)[] | undefined;
  #points = 0;

  constructor(options: LifeOptions) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.name = options.name;
    this.#options = options;
    this.died = promise;
    this.#die = resolve;
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  readonly timer: Timer = (ms, fn) => this.#options.clock.timer(ms, () => this.run(fn));

  /** Runs at once, after the pause, or never. */
  run(fn: () => void): void {
    if (this.#isDead) return;
    if (this.#held === undefined) fn();
    else this.#held.push(fn);
  }

  /** Resolves at once, after the pause, or never. */
  pass(): Promise<void> {
    return new Promise((resolve) => this.run(resolve));
  }

  /** Resolves after this time; rejects if the signal fires first. */
  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = (): void => reject(new Error("stopped"));
      if (signal.aborted) return stop();
      signal.addEventListener("abort", stop, { once: true });
      this.timer(ms, () => {
        signal.removeEventListener("abort", stop);
        resolve();
      });
    });
  }

  kill(): void {
    this.#isDead = true;
    this.#held = undefined;
    this.#die();
  }

  pause(ms: number): void {
    if (this.#isDead || this.#held !== undefined) return;
    this.#held = [];
    this.#options.clock.timer(ms, () => this.#wake());
  }

  /** Reaches the next point, and applies its faults. */
  arrive(what: string): Arrival {
    this.#points += 1;
    const point = this.#points;
    this.#options.onPoint({ process: this.name, point, what });
    if (point > maxPoints) {
      this.#options.onEndless(what);
      this.kill();
    }
    return {
      before: () => this.#meet(point, "before"),
      after: () => this.#meet(point, "after"),
    };
  }

  #meet(point: number, side: CrashFault["side"]): "go" | "fail" {
    let outcome: "go" | "fail" = "go";
    this.#options.onMoment({ process: this.name, point, side });
    if (!this.#options.isAtRisk()) return outcome;
    for (const fault of this.#options.faults) {
      if (fault.process !== this.name || fault.point !== point || fault.side !== side) continue;
      this.#options.onFault(fault);
      if (fault.do === "kill") this.kill();
      if (fault.do === "pause") this.pause(this.#options.pauseMs);
      if (fault.do === "fail") outcome = "fail";
    }
    return outcome;
  }

  /** Callbacks that arrive while it wakes up run after those that were held. */
  #wake(): void {
    const held = this.#held;
    for (let fn = held?.shift(); fn !== undefined && !this.#isDead; fn = held?.shift()) fn();
    this.#held = undefined;
  }
}

/** A point on its two sides. After either, the process may be dead. */
export interface Arrival {
  before(): "go" | "fail";
  after(): "go" | "fail";
}
