/** Callers that wait for a session to be idle, or for its children, too. */
const none: readonly never[] = [];

export class RestWaiters {
  #forIdle: readonly PromiseWithResolvers<void>[] = none;
  #forChildren: readonly PromiseWithResolvers<void>[] = none;

  get isEmpty(): boolean {
    return this.#forIdle.length === 0 && !this.areForChildren;
  }

  /** Whether some wait for the children, too. */
  get areForChildren(): boolean {
    return this.#forChildren.length > 0;
  }

  async waitForIdle(): Promise<void> {
    const waiter = Promise.withResolvers<void>();
    this.#forIdle = [...this.#forIdle, waiter];
    await waiter.promise;
  }

  async waitForChildren(): Promise<void> {
    const waiter = Promise.withResolvers<void>();
    this.#forChildren = [...this.#forChildren, waiter];
    await waiter.promise;
  }

  onIdle(): void {
    const waiters = this.#forIdle;
    this.#forIdle = none;
    for (const { resolve } of waiters) resolve();
  }

  onChildrenAtRest(): void {
    const waiters = this.#forChildren;
    this.#forChildren = none;
    for (const { resolve } of waiters) resolve();
  }

  fail(why: Error): void {
    const waiters = [...this.#forIdle, ...this.#forChildren];
    this.#forIdle = none;
    this.#forChildren = none;
    for (const { reject } of waiters) reject(why);
  }
}
