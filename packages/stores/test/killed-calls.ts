/** Random calls of a store whose server is killed between them and during them. */
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { isRepositoryError } from "@capstan/log";
import type { StoreHandle } from "@capstan/stores/sqlite";
import { vi } from "vitest";
import type { RandomCall } from "./random-calls.ts";
import { RandomCalls, randomOf, readCall } from "./random-calls.ts";
import { head } from "./samples.ts";
import { SessionModel } from "./session-model.ts";

export interface KilledCalls {
  readonly store: StoreHandle;
  /** Kills the server with SIGKILL and starts it again. */
  restart(): Promise<void>;
  readonly seed: number;
  readonly forMs: number;
}

export interface KilledSummary {
  readonly calls: number;
  /** Calls that had not returned when the server was killed. */
  readonly cutOff: number;
}

const cutShare = 0.25;
const killShare = 0.08;

/** Fails if a result contradicts the calls that have returned before, with the seed and the last calls. */
export async function runKilledCalls(options: KilledCalls): Promise<KilledSummary> {
  const run = new Run(options);
  try {
    return await run.toEnd();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const calls = run.told.slice(-30).join("\n");
    throw new Error(`CAPSTAN_SEED=${options.seed}: ${why}\n${calls}`, { cause });
  }
}

class Run {
  readonly told: string[] = [];
  readonly #options: KilledCalls;
  readonly #random: () => number;
  readonly #sessions: ReadonlyMap<string, SessionModel>;
  #cutOff = 0;
  /** How long calls take at present. */
  #usualMs = 5;

  constructor(options: KilledCalls) {
    this.#options = options;
    this.#random = randomOf(options.seed);
    const ids = ["s0", "s1", "s2"];
    this.#sessions = new Map(ids.map((id) => [id, new SessionModel(id, head())]));
  }

  async toEnd(): Promise<KilledSummary> {
    const { store, restart, forMs } = this.#options;
    const calls = new RandomCalls(this.#random, this.#sessions);
    const endsAt = performance.now() + forMs;
    while (performance.now() < endsAt) {
      const call = calls.next();
      if (this.#random() < cutShare) {
        await this.#cut(call);
        continue;
      }
      this.told.push(call.text);
      const startedAt = performance.now();
      this.#returned(call, await call.run(store));
      this.#usualMs += (performance.now() - startedAt - this.#usualMs) / 10;
      if (this.#random() < killShare) await this.#kill();
    }
    await restart();
    await this.#checkAll();
    return { calls: this.told.length, cutOff: this.#cutOff };
  }

  async #kill(): Promise<void> {
    this.told.push("killed");
    await this.#options.restart();
  }

  /** Kills the server while it is at work on the call. */
  async #cut(call: RandomCall): Promise<void> {
    this.told.push(`${call.text}, and killed`);
    const outcome = settled(call.run(this.#options.store));
    const cutAt = performance.now() + this.#random() * this.#usualMs;
    while (performance.now() < cutAt) await turnOfTheLoop();
    await this.#options.restart();
    const results = await outcome;
    if (results !== undefined) {
      this.#returned(call, results);
      return;
    }
    this.#cutOff += 1;
    for (const id of call.ids) this.#sessionOf(id).mayHaveRun(call.model);
  }

  #returned({ model }: RandomCall, results: ReadonlyMap<string, unknown>): void {
    for (const [id, result] of results) this.#sessionOf(id).returned(model, result);
  }

  /** Lists may lack sessions right after a kill, and have them a little later. */
  async #checkAll(): Promise<void> {
    const { store } = this.#options;
    for (const id of this.#sessions.keys()) {
      const read = readCall(id);
      this.#returned(read, await read.run(store));
    }
    const check = async (): Promise<void> => {
      const { sessions } = await store.list();
      const wrong = [...this.#sessions].filter(
        ([id, model]) => !model.mayBeListed(sessions.find((each) => each.id === id)),
      );
      if (wrong.length > 0) throw new Error(`the list is wrong: ${JSON.stringify(sessions)}`);
    };
    await vi.waitFor(check, { timeout: 10_000, interval: 100 });
  }

  #sessionOf(id: string): SessionModel {
    const session = this.#sessions.get(id);
    if (session === undefined) throw new Error(`${id} was never created`);
    return session;
  }
}

/** Undefined if the server was not reached, or did not answer. */
async function settled<T>(running: Promise<T>): Promise<T | undefined> {
  try {
    return await running;
  } catch (thrown) {
    if (isRepositoryError(thrown) && thrown.code === "unavailable") return undefined;
    throw thrown;
  }
}
