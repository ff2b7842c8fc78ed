/** A process of its own that works on a store until it is killed: `store-worker.ts <kind> <where> <session> <task>`. */
import { writeSync } from "node:fs";
import type { NewEntry, PostedEntry, SessionHead } from "@capstan/log";
import { openStore } from "./open-store.ts";

const [kind = "", where = "", session = "", task = ""] = process.argv.slice(2);
const store = openStore(kind, where);
const name = `w${process.pid}`;

/** To the parent, whatever happens to this process next. */
function tell(line: string): void {
  writeSync(1, `${line}\n`);
}

function entry(id: string): NewEntry & PostedEntry {
  return { v: 1, id, at: Date.now(), type: "queue_cleared", queue: "all" };
}

/** Tells the id of every entry when the store has acknowledged it. */
async function append(): Promise<void> {
  const claim = await store.acquire(session, name, 600_000);
  if (claim === undefined) throw new Error(`${session} is another's`);
  const { lease } = claim;
  for (let i = 0; ; i += 1) {
    const ids = Array.from({ length: 1 + (i % 3) }, (_, k) => `${lease.epoch}~${i}~${k}`);
    const head: SessionHead = { status: "running", agent: "helper", seen: i, updatedAt: i };
    await store.append(session, ids.map(entry), i % 2 === 0 ? { lease } : { lease, head });
    tell(ids.join(" "));
  }
}

async function post(count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    const id = `${name}-${i}`;
    await store.post(session, entry(id));
    tell(id);
  }
}

/** Holds the lease, and does nothing. */
async function hold(): Promise<void> {
  const claim = await store.acquire(session, name, 600_000);
  tell(claim === undefined ? "refused" : "held");
  setInterval(() => {}, 60_000);
}

async function fail(): Promise<void> {
  const outcome = await Promise.resolve(store.list()).catch((thrown: unknown) => thrown);
  tell(String(outcome));
}

const tasks: Readonly<Record<string, () => Promise<void>>> = {
  append,
  hold,
  fail,
  "post-100": () => post(100),
  "post-forever": () => post(Infinity),
};

await tasks[task]?.();
await store.close();
