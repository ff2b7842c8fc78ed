import type { AssistantMessage, ChatMessage, JsonValue } from "@capstan/kernel";
import { assertValidTranscript, checkTranscript } from "@capstan/testing";
import type { TranscriptOptions } from "@capstan/testing";
import { expect, test } from "vitest";
import { assistant, call, result, user } from "./messages.ts";

function faults(messages: readonly ChatMessage[], options?: TranscriptOptions): string[] {
  return checkTranscript(messages, options).map(({ code, index }) => `${code} at ${index}`);
}

/** For values that the types already forbid. */
function asJson(value: unknown): JsonValue {
  return value as JsonValue;
}

/** For content that the types already forbid. */
function odd(content: unknown): never {
  return content as never;
}

function system(id: string): ChatMessage {
  return { role: "system", id, content: "Be brief." };
}

function note(data: unknown): ChatMessage {
  return { role: "custom", id: "n1", kind: "note", data: asJson(data) };
}

function step(id: string, toolCallId: string): ChatMessage[] {
  return [assistant(id, [call(toolCallId)], "tool-calls"), result(toolCallId)];
}

const failed: AssistantMessage = assistant("x1", [{ type: "text", text: "par" }], "error");

test("an empty transcript is valid", () => {
  expect(checkTranscript([])).toEqual([]);
});

test("a turn with calls in two steps is valid", () => {
  const messages: ChatMessage[] = [
    system("s1"),
    user("u1"),
    assistant("a1", [{ type: "text", text: "Let me see" }, call("k1"), call("k2")], "tool-calls"),
    result("k1"),
    result("k2", { isError: true, content: "failed" }),
    assistant("a2", [call("k3")], "tool-calls"),
    result("k3", { content: "" }),
    assistant("a3"),
  ];

  expect(checkTranscript(messages)).toEqual([]);
});

test("a problem says what is wrong and where", () => {
  const messages = [user("u1"), assistant("a1", [call("k1")], "tool-calls"), user("u2")];

  expect(checkTranscript(messages)).toEqual([
    {
      code: "missing-result",
      message: 'assistant message "a1": its call "k1" of "echo" has no result',
      index: 1,
      messageId: "a1",
      toolCallId: "k1",
    },
  ]);
});

test("all problems come in one error, ordered by index", () => {
  const messages = [assistant("a1", []), user("a1", "")];

  expect(() => assertValidTranscript(messages)).toThrowErrorMatchingInlineSnapshot(`
    [Error: The transcript is not valid: 3 problem(s)
    - [0] empty-content: assistant message "a1": it has no content
    - [1] duplicate-message-id: user message "a1": message [0] has the same id
    - [1] empty-content: user message "a1": it has no content]
  `);
  expect(() => assertValidTranscript([user("u1")])).not.toThrow();
});

test("system messages stand at the start only", () => {
  expect(faults([system("s1"), system("s2"), user("u1")])).toEqual([]);
  expect(faults([system("s1"), user("u1"), system("s2")])).toEqual(["system-not-at-start at 2"]);
});

test("a result belongs directly after the message of its call", () => {
  const late = [assistant("a1", [call("k1")], "tool-calls"), user("u1"), result("k1")];
  const early = [result("k1"), assistant("a1", [call("k1")], "tool-calls")];

  expect(faults(late)).toEqual(["misplaced-result at 2"]);
  expect(faults(early)).toEqual(["misplaced-result at 0"]);
});

test("results stand in call order, once each", () => {
  const calls = assistant("a1", [call("k1"), call("k2")], "tool-calls");

  expect(faults([calls, result("k2"), result("k1")])).toEqual(["misplaced-result at 2"]);
  expect(faults([calls, result("k1"), result("k2"), result("k1")])).toEqual([
    "duplicate-message-id at 3",
    "duplicate-result at 3",
  ]);
});

test("a result needs a call of ours", () => {
  const searched = assistant("a1", [call("k1", { isProviderExecuted: true })]);

  expect(faults([searched])).toEqual([]);
  expect(faults([searched, result("k1")])).toEqual(["result-without-call at 1"]);
  expect(faults([user("u1"), result("k9")])).toEqual(["result-without-call at 1"]);
});

test("a result has the id and the tool of its call", () => {
  const calls = assistant("a1", [call("k1")], "tool-calls");

  expect(faults([calls, result("k1", { toolName: "ls" })])).toEqual(["result-mismatch at 1"]);
  expect(faults([calls, result("k1", { id: "r1" })])).toEqual(["result-mismatch at 1"]);
});

test("call ids are unique in the whole transcript and fit every vendor", () => {
  expect(faults([...step("a1", "k1"), user("u1"), ...step("a2", "k1")])).toEqual([
    "duplicate-call-id at 3",
    "duplicate-message-id at 4",
  ]);
  expect(faults(step("a1", "call.1"))).toEqual(["malformed-call-id at 0"]);
  expect(faults(step("a1", "k".repeat(65)))).toEqual(["malformed-call-id at 0"]);
});

test("a call whose arguments were malformed has an error as its result", () => {
  const malformed = assistant("a1", [call("k1", { malformedInput: "{" })], "tool-calls");

  expect(faults([malformed, result("k1", { isError: true, content: "not JSON" })])).toEqual([]);
  expect(faults([malformed, result("k1")])).toEqual(["malformed-call-succeeded at 1"]);
});

test("calls of the last message may be open where that is allowed, and only there", () => {
  const open = assistant("a1", [call("k1"), call("k2")], "tool-calls");

  expect(faults([user("u1"), open], { allowOpenTail: true })).toEqual([]);
  expect(faults([user("u1"), open, result("k2")], { allowOpenTail: true })).toEqual([]);
  expect(faults([user("u1"), open, result("k2")])).toEqual(["missing-result at 1"]);
  expect(faults([open, result("k2"), user("u1")], { allowOpenTail: true })).toEqual([
    "missing-result at 0",
  ]);
});

test("two assistant messages in a row are allowed after a pause only", () => {
  const paused = assistant("a1", undefined, "pause");

  expect(faults([paused, assistant("a2")])).toEqual([]);
  expect(faults([assistant("a1"), assistant("a2")])).toEqual(["two-assistants-in-a-row at 0"]);
});

test("failed replies and messages of the application are passed over", () => {
  expect(faults([user("u1"), failed, note(null), assistant("a1")])).toEqual([]);
  expect(faults([assistant("a1"), failed, note(null), assistant("a2")])).toEqual([
    "two-assistants-in-a-row at 0",
  ]);
});

test("a failed reply holds no calls", () => {
  const messages = [assistant("a1", [call("k1")], "error"), user("u1")];

  expect(faults(messages)).toEqual(["call-in-failed-message at 0"]);
});

test("a user message follows an aborted reply, after the results of its calls", () => {
  const aborted = assistant("a1", [{ type: "text", text: "par" }, call("k1")], "aborted");
  const answer = result("k1", { isError: true, content: "aborted" });

  expect(faults([user("u1"), aborted, answer, user("u2")])).toEqual([]);
  expect(faults([user("u1"), aborted, answer])).toEqual(["aborted-without-user-message at 1"]);
  expect(faults([user("u1"), aborted, answer, assistant("a2")])).toEqual([
    "aborted-without-user-message at 1",
  ]);
});

test("messages and parts without content are named", () => {
  const failure = result("k1", { isError: true, content: [] });

  expect(faults([user("u1", []), user("u2", "")])).toEqual([
    "empty-content at 0",
    "empty-content at 1",
  ]);
  expect(faults([user("u1", [{ type: "text", text: "" }])])).toEqual(["empty-part at 0"]);
  expect(faults([assistant("a1", [{ type: "refusal", text: "" }])])).toEqual(["empty-part at 0"]);
  expect(faults([assistant("a1", [call("k1")], "tool-calls"), failure])).toEqual([
    "empty-content at 1",
  ]);
});

test("content that is neither a text nor a list of parts is named, not stumbled over", () => {
  expect(faults([user("u1", odd(null)), user("u2", odd({})), user("u3", odd([null]))])).toEqual([
    "malformed-content at 0",
    "malformed-content at 1",
    "malformed-content at 2",
  ]);
  expect(faults([assistant("a1", odd("Hi"))])).toEqual(["malformed-content at 0"]);
  expect(faults([assistant("a1", odd([null]))])).toEqual(["malformed-content at 0"]);
});

test("empty thinking is kept only for what the provider needs back", () => {
  const hidden = { type: "thinking", thinking: "", providerData: "s1" } as const;

  expect(faults([assistant("a1", [hidden])])).toEqual([]);
  expect(faults([assistant("a1", [{ type: "thinking", thinking: "" }])])).toEqual([
    "empty-part at 0",
  ]);
});

test.each([
  ["a Date", new Date(0)],
  ["a function", () => {}],
  ["NaN", Number.NaN],
  ["a bigint", 1n],
  ["a Map", new Map()],
  ["undefined", [undefined]],
  ["undefined", Array.from({ length: 1 })],
])("%s is not JSON and is found by its path", (what, value) => {
  const messages = [assistant("a1", [call("k1", { input: { deep: asJson(value) } })])];

  const [problem] = checkTranscript(messages, { allowOpenTail: true });

  expect(problem?.code).toBe("not-json");
  expect(problem?.message).toMatch(/content\[0\]\.input\.deep(\[0\])? is /);
  expect(problem?.message).toContain(what);
});

test("a value that contains itself is not JSON; one that occurs twice is", () => {
  const loop: Record<string, unknown> = {};
  loop["self"] = loop;
  const shared = { x: 1 };

  expect(faults([note(loop)])).toEqual(["not-json at 0"]);
  expect(faults([note([shared, shared, { absent: undefined }])])).toEqual([]);
});
