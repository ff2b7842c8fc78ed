/** B8: what an append costs that survives the death of its process. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NewEntry } from "@capstan/log";
import { startPostgres } from "../../packages/stores/test/postgres-server.ts";
import type { Bench, Workload } from "../bench.ts";
import { compareToBase } from "../compare-to-base.ts";
import type { DurableKind, Subject } from "../subject.ts";

const appends = 200;
const base = "driver";
const urlVariable = "B8_DATABASE_URL";
const text = "The train to Oslo leaves at 7.15 from platform 4 and arrives at noon. ".repeat(4);

export const b8: Bench = {
  name: "B8",
  what: "an append that survives the death of its process",
  unit: "append",
  isFor: ({ durable }) => durable !== undefined,
  workloads: {
    // One session after the other, as one turn does it; and many at a time, as a server does it.
    sqlite: (subject) => inFile(subject, 1),
    "sqlite-many": (subject) => inFile(subject, 50),
    postgres: (subject) => inServer(subject, 1),
    "postgres-many": (subject) => inServer(subject, 50),
  },
  async measure(subjects, pace) {
    const figures = [
      ...(await compareToBase("B8", subjects, "sqlite", base, pace)),
      ...(await compareToBase("B8", subjects, "sqlite-many", base, pace)),
    ];
    const server = await startPostgres();
    if (typeof server === "string") {
      console.error(`B8: not measured with PostgreSQL, as ${server}`);
      return figures;
    }
    try {
      // The workers inherit it.
      process.env[urlVariable] = server.url;
      figures.push(...(await compareToBase("B8", subjects, "postgres", base, pace)));
      figures.push(...(await compareToBase("B8", subjects, "postgres-many", base, pace)));
    } finally {
      await server.stop();
    }
    return figures;
  },
};

async function inFile(subject: Subject, sessions: number): Promise<Workload> {
  const folder = mkdtempSync(join(tmpdir(), "capstan-b8-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return appending(subject, "sqlite", join(folder, "s.db"), sessions);
}

async function inServer(subject: Subject, sessions: number): Promise<Workload> {
  return appending(subject, "postgres", process.env[urlVariable] ?? "", sessions);
}

async function appending(
  { name, durable }: Subject,
  kind: DurableKind,
  where: string,
  sessions: number,
): Promise<Workload> {
  const log = await durable?.[kind](where, sessions);
  if (log === undefined) throw new Error(`${name} keeps nothing in ${kind}`);
  const perSession = appends / sessions;
  let entries = 0;
  let expected = 0;
  /** In turn, each when the one before is safe. */
  const appendAll = async (session: number): Promise<void> => {
    for (let i = 1; i <= perSession; i += 1) {
      const appended = log.append(session, toEntry((entries += 1)));
      const seq = appended instanceof Promise ? await appended : appended;
      if (seq !== expected + i) throw new Error(`An entry has the seq ${seq}, not ${expected + i}`);
    }
  };
  return {
    units: appends,
    turns: appends,
    minWarmUpTurns: 2_000,
    async run() {
      await Promise.all(Array.from({ length: sessions }, (_, session) => appendAll(session)));
      expected += perSession;
    },
  };
}

function toEntry(n: number): NewEntry {
  const message = {
    role: "assistant",
    id: `message-${n}`,
    content: [{ type: "text", text }],
    stopReason: "stop",
  } as const;
  return {
    v: 1,
    id: `1~${n}`,
    at: 1_763_274_000_000,
    type: "message",
    turnId: "t",
    step: 1,
    message,
  };
}
