import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  EventFeed,
  compareCursors,
  foldEntries,
  forkLog,
  restoreLog,
  toCheckpointBody,
} from "@capstan/log";
import type { Entry, EntryOf, SessionFold, StoredEntry } from "@capstan/log";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { stateOf } from "./fold-state.ts";
import { playSession, stored } from "./play-session.ts";
import { changingScenarios } from "./session-scenarios.ts";

/** More of them on demand, as in `PROPERTY_RUNS=20000 npx vitest run …`. */
const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);

const folder = join(import.meta.dirname, "golden");
const goldenLogs = globSync("*.jsonl", { cwd: folder }).toSorted();

test("a log that is read from a checkpoint gives the state and the events of the whole log", async () => {
  await fc.assert(
    fc.asyncProperty(changingScenarios, fc.nat(), async (scenario, choice) => {
      const { entries } = await playSession(scenario);

      for (const log of withCheckpoints(stored(entries), choice)) mustBeReadFromCheckpoint(log);
    }),
    { numRuns },
  );
}, 600_000);

test.each(goldenLogs)("%s can be read from a checkpoint wherever there may be one", (file) => {
  const entries = readLog(file);

  for (const choice of [0, 1, 2]) {
    for (const log of withCheckpoints(entries, choice)) mustBeReadFromCheckpoint(log);
  }
});

test("a checkpoint has none of the texts that a summary replaces, and knows where the messages were", async () => {
  const long = "long ".repeat(1_000);
  const log = [
    entry(1, { type: "created", agent: "helper" }),
    ...turn(2, "in1", long),
    ...turn(6, "in2", "short"),
    entry(10, summaryOf("in1-reply")),
  ];
  const feed = new EventFeed("s");
  feed.takeStored(log);

  const state = feed.checkpoint();
  const late = new EventFeed("s");
  late.begin(entry(11, toCheckpointBody(state as Checkpoint)));

  expect(JSON.stringify(state).length).toBeLessThan(long.length);
  expect(late.fold.transcript.list.map(({ id }) => id)).toEqual(["in2-message", "in2-reply"]);
  expect(late.fold.transcript.has("in1-message")).toBe(true);
  expect(late.fold.transcript.length).toBe(4);
});

type Checkpoint = EntryOf<"checkpoint">["state"];

/** State after a short log, at the entry with seq 6. */
function someState(): Checkpoint {
  const feed = new EventFeed("s");
  feed.takeStored([entry(1, { type: "created", agent: "helper" }), ...turn(2, "in1", "Hello")]);
  return feed.checkpoint() as Checkpoint;
}

function canBegin(first: StoredEntry): boolean {
  const feed = new EventFeed("s");
  const hasBegun = feed.begin(first);
  expect(feed.fold.seq).toBe(hasBegun ? first.seq - 1 : 0);
  return hasBegun;
}

test("a checkpoint of another version, one without a sum, or one that came after a post, is not used", () => {
  const state = someState();
  const body = toCheckpointBody(state);

  const begun = [
    entry(6, toCheckpointBody({ ...state, version: 99 })),
    entry(6, { type: "checkpoint", state }),
    entry(7, body),
    entry(6, { type: "checkpoint" }),
    entry(6, { type: "eviction", turnId: "t", toolCallIds: [] }),
    entry(6, body),
  ].map(canBegin);

  expect(begun).toEqual([false, false, false, false, false, true]);
});

test("a checkpoint that is damaged anywhere is not used", () => {
  const intact = JSON.stringify(toCheckpointBody(someState()));
  const paths = pathsOf(JSON.parse(intact).state);

  for (const path of paths) {
    for (const damage of [undefined, null, 0, "", [], {}]) {
      const body = JSON.parse(intact);
      const before = JSON.stringify(body);
      change(body.state, path, damage);
      if (JSON.stringify(body) === before) continue;

      expect(canBegin(entry(6, body)), path.join(".")).toBe(false);
    }
  }
  expect(paths.length).toBeGreaterThan(50);
});

test("after an entry that only a newer program knows there is no checkpoint", () => {
  const feed = new EventFeed("s");
  feed.takeStored([
    entry(1, { type: "created", agent: "helper" }),
    ...turn(2, "in1", "Hello"),
    entry(6, { type: "from_the_future", what: "more" }),
    entry(7, summaryOf("in1-reply")),
  ]);

  expect(feed.checkpoint()).toBeUndefined();
  expect(feed.fold.uncheckedEntries).toBe(0);
});

test("copies and forks leave checkpoints out, as their entries get other seqs", () => {
  const first = [
    entry(1, { type: "created", agent: "helper", incarnation: "original" }),
    ...turn(2, "in1", "Hello"),
  ];
  const feed = new EventFeed("s");
  feed.takeStored(first);
  const checkpoint = entry(6, toCheckpointBody(feed.checkpoint() as Checkpoint));
  const log = [...first, checkpoint, ...turn(7, "in2", "Again")];

  const fork = forkLog(log, { sessionId: "s", incarnation: "fork", now: 1 }) ?? [];
  const restored = restoreLog(log, { incarnation: "copy", now: 1 });

  expect(fork.map(({ type }) => type)).not.toContain("checkpoint");
  expect(restored.map(({ type }) => type)).not.toContain("checkpoint");
  expect(restored).toHaveLength(log.length - 1);
});

/** Paths of all values in this one. */
function pathsOf(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [path];
  const inside = Object.entries(value).flatMap(([key, each]) => pathsOf(each, [...path, key]));
  return path.length === 0 ? inside : [path, ...inside];
}

function change(value: unknown, path: readonly string[], damage: unknown): void {
  const [key = "", ...rest] = path;
  const parent = value as Record<string, unknown>;
  if (rest.length > 0) return change(parent[key], rest, damage);
  if (damage === undefined) delete parent[key];
  else parent[key] = damage;
}

/** The log with a summary and a checkpoint inserted, at each place where there may be one. */
function* withCheckpoints(log: readonly StoredEntry[], choice: number) {
  const entries = log
    .filter(({ type }) => type !== "checkpoint")
    .map((each, index) => ({ ...each, seq: index + 1 }));
  for (let cut = 1; cut <= entries.length; cut++) {
    const before = entries.slice(0, cut);
    const { messages } = foldEntries(before).transcript;
    const through = messages[choice % Math.max(1, messages.length)];
    const summary = through && entry(cut + 1, summaryOf(through.id));
    const summed = summary === undefined ? before : [...before, summary];
    const feed = new EventFeed("s");
    feed.takeStored(summed);
    const state = feed.checkpoint();
    if (state === undefined) continue;
    const seq = summed.length + 1;
    const checkpoint = entry(seq, toCheckpointBody(state));
    const after = entries.slice(cut).map((each, index) => ({ ...each, seq: seq + 1 + index }));
    // As a store returns them.
    yield JSON.parse(JSON.stringify([...summed, checkpoint, ...after])) as StoredEntry[];
  }
}

function mustBeReadFromCheckpoint(log: readonly StoredEntry[]): void {
  const at = log.findLastIndex(({ type }) => type === "checkpoint");
  const whole = new EventFeed("s");
  const { seq } = log[at] as StoredEntry;
  const events = whole.takeStored(log).filter(({ cursor }) => cursor.seq > seq);
  const feed = new EventFeed("s");
  const all = foldEntries(log.slice(0, at)).transcript.messages;

  expect(feed.begin(log[at] as StoredEntry)).toBe(true);
  const leftOut = all.slice(0, feed.fold.transcript.leftOut);
  const found = log.slice(at).flatMap((each) => {
    if (feed.fold.needsAll(each.type)) feed.fillIn(all);
    return feed.takeStored([each]);
  });

  expect(found).toEqual(events);
  expect(compareCursors(feed.cursor, whole.cursor)).toBe(0);
  expect(feed.snapshot()).toEqual(whole.snapshot());
  const { transcript } = feed.fold;
  const missing = leftOut.slice(0, transcript.leftOut);
  expect([...missing, ...transcript.list]).toEqual(whole.fold.transcript.messages);
  expect(shown(feed.fold, log)).toEqual(shown(whole.fold, log));
  // Also of a log that was not read whole.
  expect(toJson(feed.checkpoint())).toEqual(toJson(whole.checkpoint()));
  feed.fillIn(all);
  expect(transcript.leftOut).toBe(0);
  expect(stateOf(feed.fold, log)).toEqual(stateOf(whole.fold, log));
  // All that a fold keeps.
  expect(toJson(feed.checkpoint())).toEqual(toJson(whole.checkpoint()));
}

/** Everything but the messages that were left out. */
function shown(fold: SessionFold, log: readonly StoredEntry[]) {
  const { messages: _, open, ...state } = stateOf(fold, log);
  const { context, outputs, children, title, metadata, agent, prompt, checkpointSeq } = fold;
  return {
    ...state,
    open,
    title,
    metadata,
    agent,
    prompt,
    checkpointSeq,
    lastPostedSeq: fold.lastPostedSeq,
    lastEffectSeq: fold.lastEffectSeq,
    context: { ...context.save(), version: 0 },
    outputs: [outputs.shown, outputs.size],
    children: children.all,
    lengths: log.map(({ seq }) => fold.transcript.lengthAt(seq)),
    ids: fold.transcript.messages.map(({ id, role }) => [id, role]),
    turnIds: log.map(({ id }) => fold.turnIdOf(id)),
  };
}

function toJson(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

function summaryOf(through: string): object {
  return { type: "compaction", turnId: "any", through, summary: "S", before: 100, after: 10 };
}

function turn(first: number, id: string, content: string): StoredEntry[] {
  const message = { role: "user", id: `${id}-message`, content } as const;
  const reply = { role: "assistant", id: `${id}-reply`, content: [], stopReason: "stop" } as const;
  return [
    entry(first, { type: "input", messages: [message] }, id),
    entry(first + 1, { type: "turn_started", turnId: id, input: [id] }),
    entry(first + 2, { type: "message", turnId: id, step: 1, message: reply }),
    entry(first + 3, { type: "turn_ended", turnId: id, finishReason: "stop", usage: {} }),
  ];
}

function entry(seq: number, body: object | undefined, id = `${seq}-entry`): StoredEntry {
  // The body is that of an entry.
  return { v: 1, seq, id, at: seq, ...body } as unknown as Entry as unknown as StoredEntry;
}

function readLog(file: string): StoredEntry[] {
  const lines = readFileSync(join(folder, file), "utf8").trimEnd().split("\n");
  // Each line is an entry as a store would give it back.
  return lines.map((line) => JSON.parse(line) as StoredEntry);
}
