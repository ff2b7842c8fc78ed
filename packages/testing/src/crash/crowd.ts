/** Many sessions that are due at once because their process died: healthy ones, and some that no host can finish. */
import type { Host } from "@capstan/core";
import { createAgent, createHost } from "@capstan/core";
import type { ProviderContract, ProviderPart, ProviderRequest } from "@capstan/kernel";
import type { NewEntry, SessionRepository } from "@capstan/log";
import { invalidEntry, memoryRepository } from "@capstan/log";
import { checkCrowd } from "./check-crowd.ts";
import type { CrowdFact, CrowdKind, CrowdRecord, CrowdRun } from "./crowd-run.ts";
import { crowdTimes } from "./crowd-run.ts";
import { Life } from "./life.ts";
import { Scheduler } from "./scheduler.ts";
import { SimulatedClock } from "./simulated-clock.ts";
import type { AlterHost } from "./simulated-host.ts";
import { storeProxy } from "./store-proxy.ts";
import { storeWith } from "./store-with.ts";
import type { CrashViolation } from "./violation.ts";
import type { CreateStore } from "./world.ts";

/** Options of `runCrowd`. */
export interface CrowdOptions {
  readonly createStore?: CreateStore;
  readonly alterHost?: AlterHost;
}

/** Longer than any crowd takes: the last resume of a turn waits for half a minute. */
const maxSimulatedMs = 600_000;

/** Runs many sessions on several hosts in simulated time, and returns what was violated. */
export async function runCrowd(
  run: CrowdRun,
  options: CrowdOptions = {},
): Promise<readonly CrashViolation[]> {
  return checkCrowd(await new Crowd(run, options).play());
}

class Crowd {
  readonly #run: CrowdRun;
  readonly #options: CrowdOptions;
  readonly #clock = new SimulatedClock();
  readonly #scheduler: Scheduler;
  readonly #store: SessionRepository;
  readonly #ids: ReadonlyMap<string, CrowdKind>;
  readonly #claims: CrowdFact[] = [];
  readonly #requests: CrowdFact[] = [];
  readonly #replies: CrowdFact[] = [];
  #deaths = 0;
  #isPlaying = true;

  constructor(run: CrowdRun, options: CrowdOptions) {
    const { createStore = memoryRepository } = options;
    this.#run = run;
    this.#options = options;
    this.#scheduler = new Scheduler(run.order);
    this.#ids = new Map(idsOf(run));
    this.#store = this.#refusing(createStore({ now: this.#clock.now }));
  }

  async play(): Promise<CrowdRecord> {
    await this.#begin();
    for (let n = 1; n <= this.#run.hosts; n += 1) this.#start(`H${n}`, 1);
    const endsAt = this.#clock.now() + maxSimulatedMs;
    let isAtRest = false;
    while (!isAtRest && this.#clock.now() < endsAt) {
      await this.#scheduler.settle();
      if (this.#scheduler.deliverOne()) continue;
      isAtRest = await this.#isAtRest();
      if (!isAtRest) this.#clock.fireNext();
    }
    this.#isPlaying = false;
    return {
      run: this.#run,
      store: this.#store,
      ids: this.#ids,
      claims: this.#claims,
      requests: this.#requests,
      replies: this.#replies,
      deaths: this.#deaths,
      isAtRest,
    };
  }

  /** One process starts all turns at the same time, and is killed. */
  async #begin(): Promise<void> {
    const life = this.#life("origin");
    const host = this.#host(life, silent);
    for (const id of this.#ids.keys()) {
      host.createSession({ agent: "crowd", id }).send("Go", { id: "t1" });
    }
    do await this.#scheduler.settle();
    while (this.#scheduler.deliverOne());
    life.kill();
  }

  #start(name: string, count: number): void {
    const life = this.#life(`${name}-${count}`);
    const host = this.#host(life, (request) => this.#reply(life, request));
    const restart = (): void => {
      this.#deaths += 1;
      this.#clock.timer(crowdTimes.restartMs, () => {
        if (this.#isPlaying) this.#start(name, count + 1);
      });
    };
    life.died.then(restart, restart);
    // Due sessions are found by the first poll, not by a client that opens them.
    host.list().catch(() => {});
  }

  #host(life: Life, stream: ProviderContract["stream"]): Host {
    const { alterHost = (options) => options } = this.#options;
    const { leaseMs, pollMs } = crowdTimes;
    const model: ProviderContract = { id: "crowd", contextWindow: 200_000, stream };
    const agent = createAgent({ name: "crowd", model, compaction: false });
    let ids = 0;
    const altered = alterHost({
      agents: [agent],
      repository: this.#store,
      clock: { now: this.#clock.now, timer: life.timer },
      leaseMs,
      pollMs,
      maxTurns: this.#run.maxTurns,
      owner: life.name,
      newId: () => `${life.name}-${++ids}-x`,
      onError: () => {},
    });
    const repository = storeProxy({
      store: altered.repository,
      life,
      scheduler: this.#scheduler,
      mode: "async",
      losesWakeups: true,
    });
    return createHost({ ...altered, repository });
  }

  async *#reply(life: Life, { conversationId }: ProviderRequest): AsyncGenerator<ProviderPart> {
    const fact = (): CrowdFact => ({ sessionId: conversationId, at: this.#clock.now() });
    await life.pass();
    this.#requests.push(fact());
    if (this.#ids.get(conversationId) === "fatal") life.kill();
    await new Promise<void>((resolve) => life.timer(this.#run.turnMs, resolve));
    this.#replies.push(fact());
    yield { type: "text_delta", delta: "Done" };
    yield { type: "finish", reason: "stop" };
  }

  #life(name: string): Life {
    return new Life({
      name,
      clock: this.#clock,
      faults: [],
      pauseMs: 0,
      onPoint: () => {},
      onMoment: () => {},
      onEndless: () => {},
      isAtRisk: () => false,
      onFault: () => {},
    });
  }

  async #isAtRest(): Promise<boolean> {
    const { sessions } = await this.#store.list({ limit: this.#ids.size });
    return sessions.every(({ head }) => head.setAside !== undefined || head.status !== "running");
  }

  /** Records claims, and refuses entries according to the kind of a session. */
  #refusing(store: SessionRepository): SessionRepository {
    return storeWith(store, {
      append: (id, entries, options) => {
        if (options.lease.owner !== "origin") this.#refuse(id, entries);
        return store.append(id, entries, options);
      },
      claimDue: async (query) => {
        const claims = await store.claimDue(query);
        const at = this.#clock.now();
        for (const { lease } of claims) this.#claims.push({ sessionId: lease.sessionId, at });
        return claims;
      },
    });
  }

  #refuse(id: string, entries: readonly NewEntry[]): void {
    const kind = this.#ids.get(id);
    const isReply = entries.some(({ type }) => type === "message");
    const isRefused = kind === "refused" ? entries.length > 0 : kind === "unrecordable" && isReply;
    if (isRefused) throw invalidEntry(id, "it exceeds the store's size limit");
  }
}

async function* silent(): AsyncGenerator<ProviderPart> {
  await new Promise(() => {});
  yield { type: "finish", reason: "stop" };
}

function* idsOf({ sessions }: CrowdRun): Generator<[string, CrowdKind]> {
  const kinds = ["fatal", "refused", "unrecordable", "healthy"] as const;
  for (const kind of kinds) {
    for (let n = 1; n <= (sessions[kind] ?? 0); n += 1) yield [`${kind}-${n}`, kind];
  }
}
