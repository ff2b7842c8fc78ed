/** A process that runs turns on a store for a while, or stores as much as turns would, or holds sessions that do nothing. */
import type { Session } from "@capstan/core";
import { createHost } from "@capstan/core";
import type { NewEntry, SessionRepository } from "@capstan/log";
import { postgres } from "@capstan/stores/postgres";
import { sqlite } from "@capstan/stores/sqlite";
import { createWorkAgent } from "./capacity-agent.ts";
import { subject as driver } from "./subjects/driver.ts";
import type { DurableKind } from "./subject.ts";

export type CapacityTask = "turns" | "driver" | "idle" | "closed" | "suspended";

export interface CapacityOrder {
  readonly task: CapacityTask;
  readonly kind: DurableKind;
  readonly where: string;
  readonly ms: number;
}

const sessionsAtOnce = 50;
/** To post the input, to take and give back the lease, and the appends of 3 steps. */
const writesPerTurn = 15;

const order = JSON.parse(process.argv[2] ?? "{}") as CapacityOrder & { readonly index: number };

const tasks: Readonly<Record<CapacityTask, () => Promise<number>>> = {
  turns: runTurns,
  driver: storeAsMuch,
  idle: () => heapPerSession("go", async () => {}),
  closed: () => heapPerSession("go", (session) => session.close()),
  suspended: () => heapPerSession("ask", (session) => session.close()),
};

process.once("message", () => {
  tasks[order.task]().then(
    (value) => process.send?.(value, () => process.exit(0)),
    (thrown: unknown) => {
      console.error(thrown);
      process.exit(1);
    },
  );
});
process.send?.("ready");

/** The number of turns that came to their end in time. */
async function runTurns(): Promise<number> {
  const host = createHost({ agents: [createWorkAgent()], repository: openStore() });
  const sessions = Array.from({ length: sessionsAtOnce }, (_, i) =>
    host.createSession({ agent: "worker", id: `${order.index}-${process.pid}-${i}` }),
  );
  let turns = 0;
  const until = performance.now() + order.ms;
  const work = async (session: Session): Promise<void> => {
    while (performance.now() < until) {
      const { status, error } = await session.send("go").response;
      if (status !== "completed") throw new Error(`A turn ended ${status}: ${error?.message}`);
      turns += 1;
    }
  };
  await Promise.all(sessions.map(work));
  return turns;
}

/** The number of turns whose writes the driver could do. */
async function storeAsMuch(): Promise<number> {
  const log = await driver.durable?.[order.kind](order.where, sessionsAtOnce);
  if (log === undefined) throw new Error("The driver keeps nothing");
  let writes = 0;
  const until = performance.now() + order.ms;
  const work = async (session: number): Promise<void> => {
    for (let n = 0; performance.now() < until; n += 1) {
      await log.append(session, entry(`${process.pid}-${session}-${n}`));
      writes += 1;
    }
  };
  await Promise.all(Array.from({ length: sessionsAtOnce }, (_, session) => work(session)));
  return writes / writesPerTurn;
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
      await session.send(text).response;
      await session.waitForIdle();
      await leave(session);
      if (order.task === "idle") held.push(session);
    }
  };
  await add(500);
  const before = await settledHeap();
  const count = 2_000;
  await add(count);
  const bytes = ((await settledHeap()) - before) / count;
  if (held.length > 0 && held.length !== count + 500) throw new Error("Sessions are missing");
  return bytes;
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

function entry(id: string): NewEntry {
  const message = { role: "user", id, content: "x".repeat(200) } as const;
  return { v: 1, id, at: 1_000, type: "steer", message };
}
