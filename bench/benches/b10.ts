/** B10: what it costs to open a long session, and to list many. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { postgres } from "@capstan/stores/postgres";
import { sqlite } from "@capstan/stores/sqlite";
import { startPostgres } from "../../packages/stores/test/postgres-server.ts";
import type { Bench, Figure, Pace, Workload } from "../bench.ts";
import { compareToBase } from "../compare-to-base.ts";
import { fillStore, sessionCount } from "../stored-sessions.ts";
import type { DurableKind, Subject } from "../subject.ts";

const base = "driver";
const whereVariable = "B10_WHERE";

export const b10: Bench = {
  name: "B10",
  what: "to open a session of 10,000 entries, and to list 10,000 sessions",
  unit: "session",
  isFor: ({ durableReads }) => durableReads !== undefined,
  workloads: {
    "sqlite-open": (subject) => opening(subject, "sqlite"),
    "sqlite-compacted": (subject) => opening(subject, "sqlite", "openCompacted"),
    "sqlite-context": (subject) => opening(subject, "sqlite", "openContext"),
    "sqlite-list": (subject) => listing(subject, "sqlite"),
    "postgres-open": (subject) => opening(subject, "postgres"),
    "postgres-compacted": (subject) => opening(subject, "postgres", "openCompacted"),
    "postgres-context": (subject) => opening(subject, "postgres", "openContext"),
    "postgres-list": (subject) => listing(subject, "postgres"),
  },
  async measure(subjects, pace) {
    return [...(await inFile(subjects, pace)), ...(await inServer(subjects, pace))];
  },
};

async function inFile(subjects: readonly Subject[], pace: Pace): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "capstan-b10-"));
  const path = join(folder, "s.db");
  try {
    const store = sqlite(path);
    await fillStore(store);
    await store.close();
    return await compare(subjects, "sqlite", path, pace);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function inServer(subjects: readonly Subject[], pace: Pace): Promise<Figure[]> {
  const server = await startPostgres(["fsync=off"]);
  if (typeof server === "string") {
    console.error(`B10: not measured with PostgreSQL, as ${server}`);
    return [];
  }
  try {
    const store = postgres(server.url);
    await fillStore(store);
    await store.close();
    return await compare(subjects, "postgres", server.url, pace);
  } finally {
    await server.stop();
  }
}

async function compare(
  subjects: readonly Subject[],
  kind: DurableKind,
  where: string,
  pace: Pace,
): Promise<Figure[]> {
  // The workers inherit it.
  process.env[whereVariable] = where;
  return [
    ...(await compareToBase("B10", subjects, `${kind}-open`, base, pace)),
    ...(await compareToBase("B10", subjects, `${kind}-compacted`, base, pace)),
    ...(await compareToBase("B10", subjects, `${kind}-context`, base, pace, "B10, context")),
    ...(await compareToBase("B10", subjects, `${kind}-list`, base, pace)),
  ];
}

async function opening(
  subject: Subject,
  kind: DurableKind,
  open: "openLong" | "openCompacted" | "openContext" = "openLong",
): Promise<Workload> {
  const reads = await openReads(subject, kind);
  const expected = await reads[open]();
  return repeating(async () => {
    const messages = await reads[open]();
    if (messages !== expected || messages < 3) throw new Error(`${messages} messages`);
  }, 1);
}

async function listing(subject: Subject, kind: DurableKind): Promise<Workload> {
  const reads = await openReads(subject, kind);
  return repeating(async () => {
    const count = await reads.listAll();
    if (count !== sessionCount) throw new Error(`${count} sessions`);
  }, sessionCount);
}

function repeating(run: () => Promise<void>, units: number): Workload {
  return { units, turns: 1, minWarmUpTurns: 20, run };
}

async function openReads({ name, durableReads }: Subject, kind: DurableKind) {
  const reads = await durableReads?.[kind](process.env[whereVariable] ?? "");
  if (reads === undefined) throw new Error(`${name} reads nothing from ${kind}`);
  return reads;
}
