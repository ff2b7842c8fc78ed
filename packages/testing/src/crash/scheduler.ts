/** Requests to the store, its answers and wake-ups in transit: delivered one at a time, in seeded or in call order. */
import { setImmediate } from "node:timers/promises";
import { Random } from "./random.ts";

export class Scheduler {
  readonly #random: Random | undefined;
  readonly #inTransit: (() => void)[] = [];
  readonly #atWork = new Set<Promise<unknown>>();

  constructor(order: number | undefined) {
    if (order !== undefined) this.#random = new Random(order);
  }

  add(delivery: () => void): void {
    this.#inTransit.push(delivery);
  }

  /** Registers work of the store that takes real time: nothing else happens before it ends. */
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

  /** Delivers one message. False if none is in transit. */
  deliverOne(): boolean {
    const at = this.#random === undefined ? 0 : this.#random.below(this.#inTransit.length);
    const [delivery] = this.#inTransit.splice(at, 1);
    delivery?.();
    return delivery !== undefined;
  }

  /** Decides an optional event. False without a seed. */
  chance(probability: number): boolean {
    return this.#random?.chance(probability) ?? false;
  }
}
