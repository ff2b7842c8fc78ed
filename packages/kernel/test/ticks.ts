/** How many turns of the microtask queue pass until a promise is settled. */
export async function ticksUntil(promise: Promise<unknown>): Promise<number> {
  const state = { isSettled: false };
  const onSettled = (): void => {
    state.isSettled = true;
  };
  promise.then(onSettled, onSettled);
  let ticks = 0;
  while (!state.isSettled) {
    await Promise.resolve();
    ticks += 1;
  }
  return ticks;
}
