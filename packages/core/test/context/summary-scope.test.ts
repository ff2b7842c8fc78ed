import type { AssistantMessage, ChatMessage } from "@capstan/kernel";
import { expect, test } from "vitest";
import { endOfSummary } from "../../src/compaction/summary-scope.ts";
import { fitMessages } from "../../src/compaction/fit-messages.ts";

const user = (id: string, content = "Hello"): ChatMessage => ({ role: "user", id, content });
const answer = (id: string, stopReason = "stop"): AssistantMessage => ({
  role: "assistant",
  id,
  content: [{ type: "text", text: "Hi" }],
  stopReason,
});
const call = (id: string): AssistantMessage => ({
  role: "assistant",
  id,
  content: [{ type: "tool_call", id: `${id}-c`, name: "look", input: {} }],
  stopReason: "tool-calls",
});
const result = (id: string, content = "seen"): ChatMessage => ({
  role: "tool",
  id: `${id}-c`,
  toolCallId: `${id}-c`,
  toolName: "look",
  content,
  isError: false,
});

const step = (id: string, output?: string): ChatMessage[] => [call(id), result(id, output)];

test.each<[what: string, messages: ChatMessage[], keep: number, end: number]>([
  ["nothing", [], 0, 0],
  ["a message that has no reply", [user("u")], 0, 0],
  ["an answer", [user("u"), answer("a")], 0, 2],
  ["an answer, and what came since", [user("u"), answer("a"), user("v"), user("w")], 0, 2],
  ["a step in the middle of a turn", [user("u"), ...step("a")], 0, 3],
  ["a steering message behind a step", [user("u"), ...step("a"), user("s")], 0, 3],
  ["a reply that failed", [user("u"), answer("a"), user("v"), answer("b", "error")], 0, 2],
  ["a reply that was aborted", [user("u"), answer("a", "aborted"), user("v")], 0, 2],
  ["all but the last step", [user("u"), ...step("a"), ...step("b")], 1, 3],
  [
    "all but the last step and its question",
    [user("u"), answer("a"), user("v"), answer("b")],
    1,
    2,
  ],
  ["less than the steps to be kept", [user("u"), ...step("a")], 2, 0],
])("a summary of %s goes up to its place", (_, messages, keep, end) => {
  const found = endOfSummary({ messages, step: undefined }, 0, keep);

  expect(found).toBe(end);
});

test("it never goes back behind what an earlier one stands for", () => {
  const messages = [user("u"), answer("a"), user("v")];

  expect(endOfSummary({ messages, step: undefined }, 2, 0)).toBe(2);
  expect(endOfSummary({ messages, step: undefined }, 2, 3)).toBe(2);
});

const words = "word ".repeat(700);

test("what fits is shown as it is", () => {
  const messages = [user("u"), ...step("a", words)];

  expect(fitMessages(messages, 5_000, false)).toBe(messages);
});

test("the oldest outputs go first", () => {
  const messages = [user("u"), ...step("a", words), ...step("b", words), ...step("c", words)];

  const fitted = fitMessages(messages, 2_200, false);

  expect(fitted.map((message) => message.id)).toEqual(messages.map(({ id }) => id));
  expect(fitted.map((message) => message.role === "tool" && message.content === words)).toEqual([
    false,
    false,
    false,
    false,
    true,
    false,
    true,
  ]);
});

test("then whole steps, and what the conversation began with stays", () => {
  const messages = [
    user("u"),
    ...step("a"),
    user("v", words),
    ...step("b"),
    user("w"),
    answer("c"),
  ];

  const fitted = fitMessages(messages, 120, false);

  expect(fitted.map(({ id }) => id)).toEqual(["u", "a_left_out", "b", "b-c", "w", "c"]);
});

test("then the middle of a text that is too long by itself", () => {
  const fitted = fitMessages([user("u", `begin ${words} end`)], 300, false);

  expect(fitted).toMatchObject([{ content: expect.stringMatching(/^begin .*\[…\].* end$/s) }]);
  expect(JSON.stringify(fitted).length).toBeLessThan(500);
});
