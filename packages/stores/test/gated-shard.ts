/** A database in memory whose calls a test can delay or let fail. */
import { RepositoryError } from "@capstan/log";
import { sqlite } from "@capstan/stores/sqlite";
import type { StoreHandle } from "@capstan/stores/sqlite";

export interface GatedShard {
  readonly name: string;
  /** Goes through the gate. */
  readonly store: StoreHandle;
  /** Does not. */
  readonly inside: StoreHandle;
  /** From now on calls wait, reach the database, or fail. */
  gate: "closed" | "open" | "away";
  /** Name of a call that fails, although the database is there. */
  refused: string | undefined;
  /** How long each call takes, by the clock of timers. */
  delayMs: (call: string, values: readonly unknown[]) => number;
  /** Answer of `nextDueInMs`. Undefined: the store has no such method. */
  nextDueInMs: number | undefined;
  /** Names of the calls so far. */
  readonly calls: readonly string[];
  /** Lets the waiting calls through. */
  open(): void;
}

export function gatedShard(name: string): GatedShard {
  const inside = sqlite(":memory:");
  const calls: string[] = [];
  let waiting = Promise.withResolvers<void>();
  const pass = async (delayMs: number): Promise<void> => {
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    if (shard.gate === "closed") await waiting.promise;
    if (shard.gate === "away") throw new RepositoryError("unavailable", "", `${name} is away`);
  };
  const store = new Proxy(inside, {
    get(target, key) {
      const found: unknown =
        key === "nextDueInMs" && shard.nextDueInMs !== undefined
          ? () => shard.nextDueInMs
          : Reflect.get(target, key);
      if (typeof found !== "function") return found;
      return async (...values: unknown[]): Promise<unknown> => {
        calls.push(String(key));
        await pass(shard.delayMs(String(key), values));
        if (key === shard.refused) {
          throw new RepositoryError("unavailable", "", `${name} refuses ${key}`);
        }
        return found.apply(target, values);
      };
    },
  });
  const shard: GatedShard = {
    name,
    store,
    inside,
    refused: undefined,
    delayMs: () => 0,
    nextDueInMs: undefined,
    calls,
    gate: "open",
    open() {
      shard.gate = "open";
      waiting.resolve();
      waiting = Promise.withResolvers();
    },
  };
  return shard;
}
