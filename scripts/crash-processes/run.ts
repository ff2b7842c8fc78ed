// One run: workers on a store, clients that say things again until they are safe, and random deaths.

import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Fleet } from "./fleet.ts";
import type { StorePlace } from "./stores.ts";
import { openStore } from "./stores.ts";
import { randomNumbers } from "./random-numbers.ts";
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
  /** How often the server was killed. */
  readonly outages: number;
  readonly problems: readonly string[];
}

const leaseMs = 1_000;

export async function runCrashes(options: RunOptions): Promise<RunSummary> {
  const { store, server, workers, rounds, sessions, seed, onRound } = options;
  const random = randomNumbers(seed);
  const effectsFile = join(mkdtempSync(join(tmpdir(), "capstan-effects-")), "effects.jsonl");
  const clients = Array.from(
    { length: sessions },
    (_, index) => new Client(`s${seed}-${index}`, random),
  );
  const fleet = new Fleet({
    settings: { ...store, effectsFile, leaseMs },
    size: workers,
    onMessage: (message) => {
      if (message.type === "ready") return;
      for (const client of clients) client.hear(message.turnId, message.type === "accepted");
    },
  });
  let freezes = 0;
  let outages = 0;
  await fleet.start();
  try {
    for (let round = 0; round < rounds; round++) {
      for (const client of clients) client.speak(fleet, random);
      await pause(20 + random() * 150);
      const fate = random();
      if (fate < 0.05) {
        freezes++;
        await fleet.freeze(leaseMs * 1.5, random);
      } else if (fate < 0.1 && server !== undefined) {
        outages++;
        await server.kill();
        await pause(random() * 500);
        await server.start();
      } else await fleet.kill(random);
      onRound?.(round + 1);
    }
    await settle(clients, fleet, random);
    const { repository, close } = await openStore(store);
    await allAtRest(
      repository,
      clients.map(({ sessionId }) => sessionId),
    );
    const effects = readEffects(effectsFile);
    const accepted = new Map(clients.map((client) => [client.sessionId, client.accepted]));
    const problems = await judge(repository, { accepted, effects });
    await close();
    const turns = clients.reduce((sum, client) => sum + client.accepted.size, 0);
    return {
      turns,
      effects: effects.length,
      kills: rounds - freezes - outages,
      freezes,
      outages,
      problems: [...problems, ...fleet.errors],
    };
  } finally {
    await fleet.stop();
  }
}

/** Says one thing after another to its session, each until it was accepted; under another id when it was refused, as that stays refused. */
class Client {
  readonly sessionId: string;
  readonly accepted = new Set<string>();
  #order: Order;
  #count = 0;
  readonly #random: () => number;
  #givenAt = -Infinity;

  constructor(sessionId: string, random: () => number) {
    this.sessionId = sessionId;
    this.#random = random;
    this.#order = this.#next();
  }

  get isWaiting(): boolean {
    return !this.accepted.has(this.#order.turnId);
  }

  speak(fleet: Fleet, random: () => number): void {
    if (!this.isWaiting) this.#order = this.#next();
    // Not again before somebody had time to answer.
    if (performance.now() - this.#givenAt < 300) return;
    if (fleet.give(this.#order, random)) this.#givenAt = performance.now();
  }

  hear(turnId: string, isAccepted: boolean): void {
    if (turnId !== this.#order.turnId) return;
    this.#givenAt = -Infinity;
    if (isAccepted) this.accepted.add(turnId);
    else this.#order = this.#next(this.#order.text);
  }

  #next(text = planFor(this.#random)): Order {
    const turnId = `${this.sessionId}-t${this.#count++}`;
    return { sessionId: this.sessionId, turnId, text };
  }
}

/** Nobody dies any more: what was said last is accepted. */
async function settle(
  clients: readonly Client[],
  fleet: Fleet,
  random: () => number,
): Promise<void> {
  const until = performance.now() + 60_000;
  while (clients.some(({ isWaiting }) => isWaiting)) {
    if (performance.now() > until)
      throw new Error("What was said last was not accepted within 60 s");
    for (const client of clients) if (client.isWaiting) client.speak(fleet, random);
    await pause(50);
  }
}

async function allAtRest(
  repository: Awaited<ReturnType<typeof openStore>>["repository"],
  ids: readonly string[],
): Promise<void> {
  const until = performance.now() + 60_000;
  for (;;) {
    const { sessions } = await repository.list({ limit: 1_000 });
    const mine = sessions.filter(({ id }) => ids.includes(id));
    const open = mine.filter(({ head }) => isUnderWay(head.status));
    if (mine.length === ids.length && open.length === 0) return;
    if (performance.now() > until) {
      throw new Error(`Not at rest within 60 s: ${open.map(({ id }) => id).join(", ")}`);
    }
    await pause(100);
  }
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
