/**
 * Moments at which the death of a process makes a difference. Nothing that others can see happens between an interaction of a process and its
 * next one, unless the simulation acts in between. So a death after the first and a death before the second lead to the same world, up to the
 * order in which other processes act at that time, and one of them is enough.
 */
import type { CrashMoment } from "./crash-run.ts";

export class DistinctMoments {
  readonly #list: CrashMoment[] = [];
  /** Whether something else has happened since the last moment. */
  #isApart = true;

  get list(): readonly CrashMoment[] {
    return this.#list;
  }

  /** Called when others act, or see something of a process that is not a point. */
  separate(): void {
    this.#isApart = true;
  }

  add(moment: CrashMoment): void {
    const last = this.#list.at(-1);
    const isSame =
      !this.#isApart &&
      moment.side === "before" &&
      last?.side === "after" &&
      last.process === moment.process;
    if (isSame) this.#list.pop();
    this.#list.push(moment);
    this.#isApart = false;
  }
}
