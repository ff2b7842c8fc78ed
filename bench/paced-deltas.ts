/** Deltas as a network brings them: some at a time. */
import { setImmediate } from "node:timers/promises";

const perRead = 8;

export async function* inReads(deltas: readonly string[]): AsyncGenerator<string> {
  for (const [place, delta] of deltas.entries()) {
    if (place % perRead === 0) await setImmediate();
    yield delta;
  }
}
