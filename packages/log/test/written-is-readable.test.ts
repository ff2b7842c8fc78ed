import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkEntry, EventFeed, foldEntries, parseEntry } from "@capstan/log";
import type { NewEntry, StoredEntry } from "@capstan/log";
import * as fc from "fast-check";
import { expect, test } from "vitest";

/** More of them on demand, as in `PROPERTY_RUNS=200000 npx vitest run …`. */
const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 5_000);

const folder = join(import.meta.dirname, "golden");
const logs = globSync("*.jsonl", { cwd: folder })
  .toSorted()
  .map((file) => readLog(join(folder, file)));

function readLog(path: string): StoredEntry[] {
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as StoredEntry);
}

/** Values that code without types may put anywhere. */
const strange = fc.oneof(
  fc.constantFrom<unknown>(undefined, null, NaN, Infinity, -0, true, "", "text", "error", {}, []),
  fc.constantFrom<unknown>(new Date(0), new Map(), Object("text"), { toJSON: () => "other" }),
  fc.constantFrom<unknown>([undefined], [null], Array(2), [1], ["a"], { id: 1 }, { type: "text" }),
  fc.constant<unknown>({ role: "assistant", id: "x", content: [{ type: "tool_call" }] }),
  fc.jsonValue(),
);

/** Stands for another value of the same type. */
const alike: unique symbol = Symbol("alike");

function likeOf(value: unknown): unknown {
  if (typeof value === "string") return `${value}, or not`;
  if (typeof value === "number") return value + 1;
  return typeof value === "boolean" ? !value : value;
}

const value = fc.oneof(
  { weight: 3, arbitrary: strange },
  { weight: 1, arbitrary: fc.constant<unknown>(alike) },
);

/** A log of which one value, at any depth of one entry, is another. */
const altered = fc
  .tuple(fc.constantFrom(...logs), fc.nat(), fc.array(fc.nat(), { maxLength: 6 }), value)
  .map(([log, at, path, chosen]) => {
    const index = at % log.length;
    const entry = structuredClone(log[index]) as StoredEntry;
    return { log, index, entry: withValue(entry, path, chosen) };
  });

const envelope = new Set(["v", "id", "at", "seq", "type"]);

function withValue(entry: StoredEntry, path: readonly number[], chosen: unknown): StoredEntry {
  let holder = entry as Record<string, unknown>;
  let names = Object.keys(holder).filter((name) => !envelope.has(name));
  for (const step of path) {
    const next = holder[names[step % names.length] ?? ""];
    if (typeof next !== "object" || next === null || Object.keys(next).length === 0) break;
    holder = next as Record<string, unknown>;
    names = Object.keys(holder);
  }
  const name = names[(path.at(-1) ?? 0) % Math.max(1, names.length)] ?? "more";
  holder[name] = chosen === alike ? likeOf(holder[name]) : chosen;
  return entry;
}

function isRefused(check: () => unknown): boolean {
  try {
    check();
    return false;
  } catch (thrown) {
    expect(["invalid_entry", "corrupt_entry"]).toContain((thrown as { code?: unknown }).code);
    return true;
  }
}

function asStored(entry: StoredEntry): StoredEntry {
  return JSON.parse(JSON.stringify(entry)) as StoredEntry;
}

test("whatever may be written folds, gives events, and is read again", () => {
  let written = 0;
  fc.assert(
    fc.property(altered, ({ log, index, entry }) => {
      if (isRefused(() => checkEntry("s", entry as unknown as NewEntry))) return;
      written += 1;
      const whole = log.with(index, asStored(entry));

      const feed = new EventFeed("s");
      const events = feed.takeStored(whole);

      expect(JSON.stringify(feed.fold.head(0))).toEqual(JSON.stringify(foldEntries(whole).head(0)));
      expect(feed.eventsAfter({ seq: 0, n: 0 }, whole)).toHaveLength(events.length);
    }),
    { numRuns },
  );
  expect(written).toBeGreaterThan(numRuns / 10);
}, 600_000);

test("whatever cannot be read again is refused before it is written", () => {
  let refused = 0;
  fc.assert(
    fc.property(altered, ({ entry }) => {
      if (!isRefused(() => parseEntry(asStored(entry)))) return;
      refused += 1;

      expect(isRefused(() => checkEntry("s", entry as unknown as NewEntry))).toBe(true);
    }),
    { numRuns },
  );
  expect(refused).toBeGreaterThan(numRuns / 10);
}, 600_000);

test("every entry of the golden logs may be written today", () => {
  const refused = logs
    .flat()
    .filter((entry) => isRefused(() => checkEntry("s", entry as unknown as NewEntry)));

  expect(refused).toEqual([]);
});

const place = { v: 1, at: 0, seq: 1, id: "e1", turnId: "t1", step: 1 };
const reply = { role: "assistant", id: "m1", stopReason: "stop" };

test.each([
  ["a call without a name", { content: [{ type: "tool_call", id: "c" }] }, "content[0].name"],
  ["a text that is a number", { content: [{ type: "text", text: 4 }] }, "content[0].text"],
  ["a part that is null", { content: [null] }, "content[0] is not an object"],
  ["a part of an unknown type", { content: [{ type: "smell" }] }, "content[0].type is unknown"],
  ["a count that is text", { content: [], usage: { inputTokens: "9" } }, "usage has a count"],
])("a reply with %s is refused when it is written and when it is read", (_, fields, fault) => {
  const entry = { ...place, type: "message", message: { ...reply, ...fields } };

  expect(() => checkEntry("s", entry as unknown as NewEntry)).toThrow(fault);
  expect(() => parseEntry(entry)).toThrow(fault);
});

test.each([
  ["a result without a text", { type: "tool_result", toolCallId: "c", toolName: "t" }, "output"],
  ["a pending call without a hash", { type: "pending", toolCallId: "c" }, "pending[0]"],
  ["an attempt that is not counted", { type: "attempt", attempt: NaN, messageId: "m" }, "attempt"],
])("%s is refused when it is written", (_, fields, fault) => {
  const values = { result: { isError: true }, pending: [{ toolCallId: "c", toolName: "t" }] };
  const entry = { ...place, ...values, ...fields };

  expect(() => checkEntry("s", entry as unknown as NewEntry)).toThrow(fault);
});

test("an error without a text is refused when it is written, and those of older logs are read", () => {
  const error = { name: "Error", message: null };
  const entry = { ...place, type: "turn_ended", finishReason: "error", usage: {}, error };

  expect(() => checkEntry("s", entry as unknown as NewEntry)).toThrow("its error.message");
  expect(parseEntry(entry)).toBe(entry);
});
