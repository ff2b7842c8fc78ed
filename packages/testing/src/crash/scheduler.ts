/** Requests to the store, its answers and wake-ups, on their way: one arrives at a time, in the order of a seed or in their own. */
import { setImmediate } from "node:timers/promises";
import { Random } from "./random.ts";

export class Scheduler {
  readonly #random: Random | undefined;
  readonly #underWay: (() => void)[] = [];
  readonly #atWork = new Set<Promise<unknown>>();

  constructor(order: number | undefined) {
    if (order !== undefined) this.#random = new Random(order);
  }

  add(delivery: () => void): void {
    this.#underWay.push(delivery);
  }

  /** The store is at work on something that takes real time: nothing else happens before it has ended. */
  waitFor(work: Promise<unknown>): void {
    this.#atWork.add(work);
    const end = (): boolean => this.#atWork.delete(work);
    work.then(end, end);
  }

  /** Lets everything run that waits for nothing. */
  async settle(): Promise<void> {
    await setImmediate();
    while (this.#atWork.size > 0) {
      await Promise.allSettled(this.#atWork);
      await setImmediate();
    }
  }

  /** Lets one arrive. False if nothing is under way. */
  deliverOne(): boolean {
    const at = this.#random === undefined ? 0 : this.#random.below(this.#underWay.length);
    const [delivery] = this.#underWay.splice(at, 1);
    delivery?.();
    return delivery !== undefined;
  }

  /** Whether something that may happen or not does so. Without a seed it does not. */
  chance(probability: number): boolean {
    return this.#random?.chance(probability) ?? false;
  }
}
