/** Time limits of tool calls, on one timer for the whole turn. */
import type { CancelTimer, Surroundings } from "../effects/surroundings.ts";

export interface LimitedCall {
  /** Set by `CallLimits`. */
  deadlineAt: number;
  expire(): void;
}

/** The timer stays armed between calls, for the earliest deadline so far: fifty quick calls cost one timer, not fifty. */
export class CallLimits {
  readonly #surroundings: Surroundings;
  readonly #open = new Set<LimitedCall>();
  /** One timer per call. Undefined with a clock. */
  #timers: Map<LimitedCall, CancelTimer | undefined> | undefined;
  #cancel: CancelTimer | undefined;
  #firesAt = Infinity;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  /** `now` is undefined without a clock. */
  add(call: LimitedCall, limitMs: number, now: number | undefined): void {
    if (now === undefined) {
      const cancel = this.#surroundings.setTimer(limitMs, () => call.expire());
      (this.#timers ??= new Map()).set(call, cancel);
      return;
    }
    call.deadlineAt = now + limitMs;
    this.#open.add(call);
    if (call.deadlineAt < this.#firesAt) this.#arm(now);
  }

  remove(call: LimitedCall): void {
    if (this.#open.delete(call) || this.#timers === undefined) return;
    this.#surroundings.clearTimer(this.#timers.get(call));
    this.#timers.delete(call);
  }

  close(): void {
    this.#surroundings.clearTimer(this.#cancel);
    for (const cancel of this.#timers?.values() ?? []) this.#surroundings.clearTimer(cancel);
  }

  #arm(now: number): void {
    this.#surroundings.clearTimer(this.#cancel);
    this.#firesAt = Infinity;
    for (const { deadlineAt } of this.#open) this.#firesAt = Math.min(this.#firesAt, deadlineAt);
    this.#cancel = this.#surroundings.setTimer(this.#firesAt - now, () => this.#fire());
  }

  #fire(): void {
    this.#cancel = undefined;
    // If the clock has failed in the meantime, assume that the deadline has passed.
    const now = this.#surroundings.now() ?? this.#firesAt;
    this.#firesAt = Infinity;
    const due = [...this.#open].filter(({ deadlineAt }) => deadlineAt <= now);
    for (const call of due) this.#open.delete(call);
    if (this.#open.size > 0) this.#arm(now);
    for (const call of due) call.expire();
  }
}
