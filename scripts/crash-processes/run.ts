// One run: workers on a store, clients that say things again until they are safe, and random deaths.

import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Fleet } from "./fleet.ts";
import type { StorePlace } from "./stores.ts";
import { openStore } from "./stores.ts";
import { randomNumbers } from "./random-numbers.ts";
import type { Witness } from "./verdict.ts";
import { judge } from "./verdict.ts";
import type { Effect } from "./work.ts";
import { planFor } from "./work.ts";
import type { Order } from "./worker.ts";

export interface RunOptions {
  readonly store: StorePlace;
  /** The server that the store is on, if it is ours to kill. */
  readonly server?: KillableServer;
  readonly workers: number;
  /** How often something is done to a worker. */
  readonly rounds: number;
  readonly sessions: number;
  readonly seed: number;
  onRound?(round: number): void;
}

export interface KillableServer {
  /** All of it at once, as if the machine had lost its power. */
  kill(): Promise<void>;
  start(): Promise<void>;
}

export interface RunSummary {
  readonly turns: number;
  readonly effects: number;
  readonly kills: number;
  readonly freezes: number;
  /** How often the server was killed: at least once, if it is ours. */
  readonly outages: number;
  /** How often leases of dead processes ended before their time, as far as the workers lived to report it. */
  readonly takeovers: number;
  /** How often a session was deleted, and begun again under its id. */
  readonly deletions: number;
  readonly problems: readonly string[];
}

/** Lease of a worker that may be stopped past it. */
const shortLeaseMs = 1_000;

/** The default of hosts. On PostgreSQL a dead process is found dead long before it is over, but not before a short one is. */
const longLeaseMs = 10_000;

/** Longer than a process must be missed on PostgreSQL until it counts as dead. */
const spareMs = 4_000;

/** One round of so many kills the server, and not by chance, so that a short run has its outage too. */
const roundsPerOutage = 20;

export async function runCrashes(options: RunOptions): Promise<RunSummary> {
  const folder = mkdtempSync(join(tmpdir(), "capstan-effects-"));
  try {
    return await runIn(folder, options);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runIn(folder: string, options: RunOptions): Promise<RunSummary> {
  const { store, server, workers, rounds, sessions, seed, onRound } = options;
  const random = randomNumbers(seed);
  const effectsFile = join(folder, "effects.jsonl");
  const clients = Array.from(
    { length: sessions },
    (_, index) => new Client(`s${seed}-${index}`, random),
  );
  const hasDeadOwners = store.name === "postgres";
  const fleet = new Fleet({
    settings: { ...store, effectsFile },
    size: workers,
    leaseMs: () => (hasDeadOwners && random() < 0.5 ? longLeaseMs : shortLeaseMs),
    spareMs: hasDeadOwners ? spareMs : 0,
    onMessage: ({ type, sessionId, turnId }) => {
      const client = clients.find((one) => one.sessionId === sessionId);
      client?.hear(turnId, type === "accepted");
    },
  });
  const outageRound = Math.min(roundsPerOutage / 2, Math.floor(rounds / 2));
  let freezes = 0;
  let outages = 0;
  try {
    await fleet.start();
    for (let round = 0; round < rounds; round++) {
      for (const client of clients) client.speak(fleet, random, true);
      await pause(20 + random() * 150);
      if (server !== undefined && round % roundsPerOutage === outageRound) {
        outages++;
        await server.kill();
        await pause(random() * 500);
        await server.start();
      } else if (random() < 0.05 && (await fleet.freeze(shortLeaseMs, random))) {
        freezes++;
      } else await fleet.kill(random);
      onRound?.(round + 1);
    }
    const unsettled = await settle(clients, fleet, random);
    const { repository, close } = await openStore(store);
    const ids = clients.map(({ sessionId }) => sessionId);
    const restless = unsettled === undefined ? await restlessIn(repository, ids) : undefined;
    const effects = readEffects(effectsFile);
    const unfinished = unsettled ?? restless;
    const problems =
      unfinished === undefined ? await judge(repository, { clients, effects }) : [unfinished];
    await close();
    return {
      turns: clients.reduce((sum, { turns }) => sum + turns, 0),
      deletions: clients.reduce((sum, { age }) => sum + age - 1, 0),
      effects: effects.length,
      kills: rounds - freezes - outages,
      freezes,
      outages,
      takeovers: fleet.takeovers,
      problems: [...problems, ...fleet.errors],
    };
  } finally {
    await fleet.stop();
  }
}

let orders = 0;

/**
 * Says one thing after another to its session, each until it was accepted; under another id when it was refused, as that stays refused. Now and then
 * it deletes the session, and begins another one of the same id, in which it uses the same ids again.
 */
class Client implements Witness {
  readonly sessionId: string;
  readonly accepted = new Set<string>();
  /** Turns of all ages. */
  turns = 0;
  age = 1;
  #order: Order;
  #count = 0;
  readonly #random: () => number;
  #givenAt = -Infinity;
  /** Orders of this age that a worker may still act on. */
  #given: number[] = [];
  /** The session was deleted, and another worker may still be told to do so. */
  #isDeleted = false;

  constructor(sessionId: string, random: () => number) {
    this.sessionId = sessionId;
    this.#random = random;
    this.#order = this.#next();
  }

  get isWaiting(): boolean {
    return !this.accepted.has(this.#order.turnId);
  }

  speak(fleet: Fleet, random: () => number, mayDelete: boolean): void {
    this.#given = this.#given.filter((n) => fleet.isUnderWay(n));
    if (this.#isDeleted) {
      if (this.#given.length > 0) return;
      this.#begin();
    }
    if (!this.isWaiting) {
      // A worker that has slept would say to the next session what was meant for this one.
      const isEnd = mayDelete && this.#given.length === 0 && random() < 0.1;
      this.#order = isEnd ? this.#toOrder("delete", undefined) : this.#next();
    }
    // Not again before a worker had time to answer.
    if (performance.now() - this.#givenAt < 300) return;
    const order = { ...this.#order, n: (orders += 1) };
    if (!fleet.give(order, random)) return;
    this.#given.push(order.n);
    this.#givenAt = performance.now();
  }

  hear(turnId: string, isAccepted: boolean): void {
    if (turnId !== this.#order.turnId) return;
    this.#givenAt = -Infinity;
    const isEnd = this.#order.text === undefined;
    if (!isAccepted) this.#order = isEnd ? this.#order : this.#next(this.#order.text);
    else if (isEnd) this.#isDeleted = true;
    else this.#accept(turnId);
  }

  #begin(): void {
    this.#isDeleted = false;
    this.age += 1;
    this.#count = 0;
    this.accepted.clear();
    this.#order = this.#next();
  }

  #accept(turnId: string): void {
    this.accepted.add(turnId);
    this.turns += 1;
  }

  #next(text = planFor(this.#random, this.age)): Order {
    return this.#toOrder(`t${this.#count++}`, text);
  }

  #toOrder(name: string, text: string | undefined): Order {
    return { n: 0, sessionId: this.sessionId, turnId: `${this.sessionId}-${name}`, text };
  }
}

/** Repeats the last message of each client until it is accepted, with no more kills. Returns the problem, if there is one. */
async function settle(
  clients: readonly Client[],
  fleet: Fleet,
  random: () => number,
): Promise<string | undefined> {
  const until = performance.now() + 60_000;
  while (clients.some(({ isWaiting }) => isWaiting)) {
    if (performance.now() > until) return "The last messages were not accepted within 60 s";
    for (const client of clients) if (client.isWaiting) client.speak(fleet, random, false);
    await pause(50);
  }
  return undefined;
}

/** Waits until all sessions are at rest. Returns the problem, if some are not. */
async function restlessIn(
  repository: Awaited<ReturnType<typeof openStore>>["repository"],
  ids: readonly string[],
): Promise<string | undefined> {
  const until = performance.now() + 60_000;
  for (;;) {
    const { sessions } = await repository.list({ limit: 1_000 });
    const mine = sessions.filter(({ id }) => ids.includes(id));
    // A session wakes up by itself while a child works in the background.
    const open = mine.filter(({ head }) => isUnderWay(head.status) || head.wakeAt !== undefined);
    if (mine.length === ids.length && open.length === 0) {
      // One that waits in the background does not keep its parent awake.
      const children = new Set(await childrenOf(repository, ids));
      open.push(...sessions.filter(({ id, head }) => children.has(id) && isUnderWay(head.status)));
      if (open.length === 0) return undefined;
    }
    if (performance.now() > until) {
      return `Not at rest within 60 s: ${open.map(({ id }) => id).join(", ")}`;
    }
    await pause(100);
  }
}

async function childrenOf(
  repository: Awaited<ReturnType<typeof openStore>>["repository"],
  ids: readonly string[],
): Promise<string[]> {
  const logs = await Promise.all(ids.map(async (id) => repository.read(id)));
  return logs.flatMap(({ entries }) =>
    entries.flatMap(({ type, childId }) => (type === "child_started" ? String(childId) : [])),
  );
}

function isUnderWay(status: string): boolean {
  return status === "running" || status === "awaiting_tool_execution";
}

function readEffects(file: string): Effect[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Effect);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
