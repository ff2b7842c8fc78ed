/** A process that runs turns on a store for a while, or stores as much as turns would, or holds sessions that do nothing. */
import { once } from "node:events";
import type { Session } from "@capstan/core";
import { createHost } from "@capstan/core";
import type { SessionEvent, SessionRepository } from "@capstan/log";
import { postgres } from "@capstan/stores/postgres";
import { sqlite } from "@capstan/stores/sqlite";
import { createWorkAgent } from "./capacity-agent.ts";
import { openBareTurns } from "./bare-turns.ts";
import type { DurableKind } from "./subject.ts";
import { recordTurnWrites } from "./turn-writes.ts";

export type CapacityTask = "turns" | "churn" | DriverTask | MemoryTask;

/** The second puts writes that come at the same moment into one transaction. */
export type DriverTask = "driver" | "joining-driver";

/** Sessions whose memory is measured. */
export type MemoryTask = "idle" | "running" | "closed" | "suspended";

export interface CapacityOrder {
  readonly task: CapacityTask;
  readonly kind: DurableKind;
  readonly where: string;
  readonly ms: number;
  /** Sessions whose memory is measured. Default 2,000. */
  readonly sessions?: number;
}

const sessionsAtOnce = 50;
/** Before anything is counted. */
const warmUpMs = 2_000;

/** `value` is what the task counts; `cpuMs` is what this process used for it. */
export interface CapacityReport {
  readonly value: number;
  readonly cpuMs: number;
}

const order = JSON.parse(process.argv[2] ?? "{}") as CapacityOrder & { readonly index: number };

/** Counts what comes to its end within so many milliseconds. */
type Count = (ms: number) => Promise<number>;

const tasks: Readonly<Record<CapacityTask, () => Promise<Count>>> = {
  turns: prepareTurns,
  churn: prepareChurn,
  driver: prepareDriver,
  "joining-driver": prepareDriver,
  idle: async () => () => heapPerSession("go", async () => {}),
  running: async () => () => heapPerSession("stand", async () => {}),
  closed: async () => () => heapPerSession("go", (session) => session.close()),
  suspended: async () => () => heapPerSession("ask", (session) => session.close()),
};

run().catch((thrown: unknown) => {
  console.error(thrown);
  process.exit(1);
});

async function run(): Promise<void> {
  const count = await tasks[order.task]();
  if (order.ms > 0) await count(warmUpMs);
  const told = once(process, "message");
  process.send?.("ready");
  await told;
  const cpu = process.cpuUsage();
  const value = await count(order.ms);
  const { user, system } = process.cpuUsage(cpu);
  const report: CapacityReport = { value, cpuMs: (user + system) / 1_000 };
  process.send?.(report, () => process.exit(0));
}

/** The number of turns that came to their end in time. */
async function prepareTurns(): Promise<Count> {
  const host = createHost({ agents: [createWorkAgent()], repository: openStore() });
  const sessions = Array.from({ length: sessionsAtOnce }, (_, i) =>
    host.createSession({ agent: "worker", id: `${order.index}-${process.pid}-${i}` }),
  );
  return async (ms) => {
    let turns = 0;
    const until = performance.now() + ms;
    const work = async (session: Session): Promise<void> => {
      while (performance.now() < until) {
        const { status, error } = await session.send("go").response;
        if (status !== "completed") throw new Error(`A turn ended ${status}: ${error?.message}`);
        turns += 1;
      }
    };
    await Promise.all(sessions.map(work));
    return turns;
  };
}

/** The same with sessions that live for 20 turns. Every second one is deleted then. */
async function prepareChurn(): Promise<Count> {
  const host = createHost({ agents: [createWorkAgent()], repository: openStore() });
  return async (ms) => {
    let turns = 0;
    const until = performance.now() + ms;
    const live = async (isKept: boolean): Promise<void> => {
      const session = host.createSession({ agent: "worker" });
      for (let i = 0; i < 20; i += 1) await session.send("go").response;
      turns += 20;
      await session.close();
      if (!isKept) await host.delete(session.id);
    };
    const work = async (): Promise<void> => {
      for (let i = 0; performance.now() < until; i += 1) await live(i % 2 === 0);
    };
    await Promise.all(Array.from({ length: sessionsAtOnce }, work));
    return turns;
  };
}

/** The number of turns whose writes the driver could do. */
async function prepareDriver(): Promise<Count> {
  const { task, kind, where, index } = order;
  const writes = await recordTurnWrites();
  const prefix = `bare-${index}-${process.pid}`;
  const isJoining = task === "joining-driver";
  const store = await openBareTurns(kind, where, prefix, sessionsAtOnce, writes, isJoining);
  return async (ms) => {
    let turns = 0;
    const until = performance.now() + ms;
    const work = async (session: number): Promise<void> => {
      while (performance.now() < until) {
        for (const index of writes.keys()) await store(session, index);
        turns += 1;
      }
    };
    await Promise.all(Array.from({ length: sessionsAtOnce }, (_, session) => work(session)));
    return turns;
  };
}

/** In bytes. The sessions are held, or what `leave` leaves of them. */
async function heapPerSession(
  text: string,
  leave: (session: Session) => Promise<void>,
): Promise<number> {
  const host = createHost({ agents: [createWorkAgent()], repository: openStore() });
  const held: Session[] = [];
  const add = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i += 1) {
      const session = host.createSession({ agent: "worker" });
      const turn = session.send(text);
      if (order.task === "running") await firstText(turn);
      else {
        await turn.response;
        await session.waitForIdle();
      }
      await leave(session);
      if (order.task === "idle" || order.task === "running") held.push(session);
    }
  };
  await add(500);
  const before = await settledHeap();
  const { sessions: count = 2_000 } = order;
  await add(count);
  const bytes = ((await settledHeap()) - before) / count;
  if (held.length > 0 && held.length !== count + 500) throw new Error("Sessions are missing");
  return bytes;
}

async function firstText(turn: AsyncIterable<SessionEvent>): Promise<void> {
  for await (const { type } of turn) if (type === "text_delta") return;
}

async function settledHeap(): Promise<number> {
  for (let i = 0; i < 3; i += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    globalThis.gc?.();
  }
  return process.memoryUsage().heapUsed;
}

function openStore(): SessionRepository {
  return order.kind === "sqlite" ? sqlite(order.where) : postgres(order.where);
}
