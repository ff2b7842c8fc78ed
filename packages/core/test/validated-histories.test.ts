import { createAgent, createHost, createSession, restoreSession } from "@capstan/core";
import type { HistoryMessage, SessionSnapshot } from "@capstan/core";
import { memoryRepository } from "@capstan/log";
import { say, scriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";

const agent = createAgent({ name: "helper", model: scriptedProvider([say("Hi"), say("Again")]) });
const entry = { seq: 1, v: 1, type: "created", id: "e1", at: 0, agent: "helper" };
const whole = { version: 1, id: "s1", entries: [entry] };

test.each<[string, unknown, RegExp]>([
  ["nothing", undefined, /must be an object/],
  ["a text", "snapshot", /must be an object.*not string/],
  ["a list", [], /must be an object/],
  ["nonsense", { nonsense: true }, /version/],
  ["a later version", { ...whole, version: 99 }, /version 99.*version 1/],
  ["no id", { ...whole, id: undefined }, /id/],
  ["an id of another type", { ...whole, id: 7 }, /id/],
  ["messages and no entries", { version: 1, id: "s1", messages: [] }, /entries.*history/],
  ["entries that are no list", { ...whole, entries: {} }, /entries/],
  ["no entry at all", { ...whole, entries: [] }, /entries/],
  ["an entry that is none", { ...whole, entries: [entry, null] }, /entries\[1\]/],
  ["an entry without a type", { ...whole, entries: [{ ...entry, type: 1 }] }, /entries\[0\]\.type/],
  ["an entry without a seq", { ...whole, entries: [{ ...entry, seq: "1" }] }, /entries\[0\]\.seq/],
  ["blobs that are no list", { ...whole, blobs: {} }, /blobs/],
  ["a blob without data", { ...whole, blobs: [{ blob: "b" }] }, /blobs\[0\]\.data/],
])("a snapshot that is %s is refused with a reason", async (_, snapshot, reason) => {
  const host = createHost({ agents: [agent], repository: memoryRepository() });

  for (const options of [{}, { trust: "own" } as const]) {
    await expect(host.restore(snapshot as SessionSnapshot, options)).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringMatching(reason),
    });
  }
  await expect(
    restoreSession({ agent, snapshot: snapshot as SessionSnapshot }),
  ).rejects.toMatchObject({ code: "invalid_input" });
  await host.close();
});

test("a snapshot as it was taken is accepted, also after JSON", async () => {
  const session = createSession({ agent });
  await session.send("Hello").response;
  const snapshot = JSON.parse(JSON.stringify(await session.snapshot())) as SessionSnapshot;

  const restored = await restoreSession({ agent, snapshot });

  expect(restored.messages).toEqual(session.messages);
});

const past: readonly HistoryMessage[] = [
  { role: "user", content: "Hello" },
  {
    role: "assistant",
    content: [{ type: "tool_call", id: "c1", name: "echo", input: {} }],
    stopReason: "tool-calls",
  },
  { role: "tool", toolCallId: "c1", toolName: "echo", content: "{}", isError: false },
  { role: "user", id: "mine", content: "Go on" },
];

test("messages of a history need no ids", async () => {
  const begun = createSession({ agent, history: past });
  const loaded = createSession({ agent });
  await loaded.loadHistory(past);

  for (const { messages } of [begun, loaded]) {
    expect(new Set(messages.map(({ id }) => id)).size).toBe(4);
    expect(messages.map(({ id }) => typeof id)).toEqual(["string", "string", "string", "string"]);
    expect(messages[3]?.id).toBe("mine");
    expect(messages[0]).toMatchObject({ role: "user", content: "Hello" });
  }
  const ids = begun.messages.map(({ id }) => id);
  await begun.send("More").response;
  expect(begun.messages.slice(0, 4).map(({ id }) => id)).toEqual(ids);
});

test.each<[string, unknown, RegExp]>([
  ["nonsense", { nonsense: true }, /list of messages/],
  ["a text", "Hello", /list of messages/],
  ["nothing", undefined, /list of messages/],
  ["a list of texts", ["Hello"], /index 0/],
  ["a message without a role", [{ content: "Hello" }], /index 0.*role/],
  ["a message of another role", [{ role: "robot", content: "Hello" }], /index 0.*role/],
  ["a message without content", [{ role: "user" }], /index 0.*content/],
  ["an id that is no text", [{ role: "user", id: 7, content: "Hello" }], /index 0.*id/],
  ["a reply in one text", [{ role: "assistant", content: "Hi" }], /index 0.*content/],
])("a history that is %s is refused with a reason", async (_, history, reason) => {
  const refusal = { code: "invalid_input", message: expect.stringMatching(reason) };
  const messages = history as readonly HistoryMessage[];

  await expect(createSession({ agent }).loadHistory(messages)).rejects.toMatchObject(refusal);
  if (history === undefined) return;
  expect(() => createSession({ agent, history: messages })).toThrow(reason);
});
