import { entryVersion, LogError, parseEntry } from "@capstan/log";
import type { StoredEntry, Upcasts } from "@capstan/log";
import { expect, test } from "vitest";

const result: StoredEntry = {
  seq: 7,
  v: entryVersion,
  type: "tool_result",
  id: "e7",
  at: 0,
  turnId: "t1",
  step: 1,
  toolCallId: "c1",
  toolName: "ls",
  result: { isError: false, output: "" },
};

/** Fields of the entry, without the envelope. */
function parsed(stored: StoredEntry, table: Upcasts = {}, version: number = entryVersion): unknown {
  return parseEntry(stored, table, version);
}

function thrownBy(fn: () => unknown): unknown {
  try {
    return fn();
  } catch (thrown) {
    return thrown;
  }
}

test("an entry of today is given back as it is", () => {
  expect(parseEntry(result)).toBe(result);
});

test("an unknown field does no harm", () => {
  expect(parseEntry({ ...result, mood: "good" })).toMatchObject({ mood: "good" });
});

test("an entry of an unknown type is passed over", () => {
  expect(parseEntry({ ...result, type: "weather" })).toBeUndefined();
});

test("an entry of a newer version is passed over, whatever is in it", () => {
  expect(parseEntry({ ...result, v: entryVersion + 1, step: "first" })).toBeUndefined();
});

test("the error of a corrupt entry names the wrong field, and the seq at which reading stopped", () => {
  const { toolCallId: _, ...rest } = result;

  const error = thrownBy(() =>
    parseEntry({ ...rest, seq: 7, v: 1, type: "tool_result", id: "e7", at: 0 }),
  );

  expect(error).toBeInstanceOf(LogError);
  expect(error).toMatchObject({ code: "corrupt_entry", seq: 7, entryId: "e7" });
  expect(String(error)).toContain(
    'Entry 7 ("e7", tool_result) is corrupt: its toolCallId is missing',
  );
  expect(String(error)).toContain("cannot be read past this entry");
});

test.each([
  ["a string for a number", { step: "1" }, "step is not a number"],
  ["a number for a string", { toolName: 3 }, "toolName is not a string"],
  ["null for an object", { result: null }, "result is not an object"],
  ["a list for an object", { result: [] }, "result is not an object"],
  ["an optional field of the wrong kind", { durationMs: "long" }, "durationMs is not a number"],
  ["a version that is none", { v: 0.5 }, "v is not a version"],
])("%s makes an entry corrupt", (_, fields, fault) => {
  expect(() => parseEntry({ ...result, ...fields })).toThrow(fault);
});

test.each([
  ["without parts", { role: "assistant", id: "a1" }, "message.content is not a list"],
  ["without an id", { role: "assistant", content: [] }, "message.id is not a string"],
  ["that is text", "Hello", "message is not an object"],
])("a reply %s makes an entry corrupt", (_, message, fault) => {
  const entry = { seq: 1, v: 1, type: "message", id: "e1", at: 0, turnId: "t1", step: 1, message };

  expect(() => parseEntry(entry)).toThrow(fault);
});

const table: Upcasts = {
  tool_result: {
    1: ({ callId, ...rest }) => ({ ...rest, toolCallId: callId }),
    2: ({ name, ...rest }) => ({ ...rest, toolName: name }),
  },
  tool_finished: { 2: (old) => ({ ...old, type: "tool_result" }) },
  weather: {
    1: () => {
      throw new TypeError("no sky");
    },
  },
};

test("an old entry is brought up step by step", () => {
  const { toolCallId: _, toolName: __, ...kept } = result;
  const old = {
    ...kept,
    seq: 7,
    v: 1,
    type: "tool_result",
    id: "e7",
    at: 0,
    callId: "c1",
    name: "ls",
  };

  expect(parsed(old, table, 3)).toEqual({ ...result, v: 3 });
});

test("a type that has not changed passes through the versions, and an old name becomes the new one", () => {
  const renamed = { ...result, v: 1, type: "tool_finished" };

  expect(parsed(renamed, table, 3)).toEqual({ ...result, v: 3 });
});

test("an old entry that cannot be brought up is corrupt, and the cause is kept", () => {
  const error = thrownBy(() => parsed({ ...result, v: 1, type: "weather" }, table, 2));

  expect(error).toMatchObject({ code: "corrupt_entry", cause: new TypeError("no sky") });
});
