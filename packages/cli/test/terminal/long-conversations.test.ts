import { say, usage, wait } from "@capstan/testing";
import { expect, test } from "vitest";
import { key, openConversation } from "./headless.ts";

const numbered = (count: number): string =>
  Array.from({ length: count }, (_, index) => `Line number ${index + 1}.`).join("\n\n");

test("a reply longer than the window scrolls away once, and is complete in the scrollback", async () => {
  const pieces = numbered(200).match(/[^]{1,7}/g) ?? [];
  const terminal = openConversation([say(pieces)], { size: { columns: 60, rows: 20 } });
  await terminal.shows("Try:");

  terminal.type("count");
  terminal.type(key.enter);
  await terminal.shows("Line number 200.");

  const shown = terminal.everything().filter((line) => line.startsWith("Line number"));
  expect(shown).toEqual(numbered(200).split("\n\n"));
});

test("the bytes of a long stream are about those of its text", async () => {
  const sentence = "A sentence of an answer that is as long as sentences are. ";
  const text = Array.from({ length: 300 }, (_, index) => `${index}: ${sentence.repeat(5)}`);
  const pieces = [...text, "The end."].join("\n\n").match(/[^]{1,40}/g) ?? [];
  const terminal = openConversation([say(pieces)]);
  await terminal.shows("Try:");
  const before = terminal.written().length;

  terminal.type("tell");
  terminal.type(key.enter);
  await terminal.shows("The end.");

  expect(terminal.written().length - before).toBeLessThan(2 * text.join("").length);
});

test.each([
  { columns: 40, rows: 12 },
  { columns: 120, rows: 40 },
  { columns: 80, rows: 5 },
])("after a resize to $columns × $rows the last lines fill the window", async (size) => {
  const terminal = openConversation([say(numbered(60))]);
  await terminal.shows("Try:");
  terminal.type("count");
  terminal.type(key.enter);
  await terminal.shows("Line number 60.");

  terminal.resize(size.columns, size.rows);
  terminal.type("x");

  await terminal.until((lines) => lines.includes("x"));
  const shown = terminal.window().filter((line) => line.startsWith("Line number"));
  const fitting = numbered(60)
    .split("\n\n")
    .slice(60 - shown.length);
  expect(shown).toEqual(fitting);
  expect(terminal.window().length).toBeLessThanOrEqual(size.rows);
});

test("a resize in the middle of a stream loses no text", async () => {
  const gate = Promise.withResolvers<void>();
  const terminal = openConversation([
    [say(`${numbered(30)}\n\n`), wait(gate.promise), say("Line number 31.\n\nThe end.")],
  ]);
  await terminal.shows("Try:");
  terminal.type("count");
  terminal.type(key.enter);
  await terminal.shows("Line number 30.");

  terminal.resize(50, 15);
  gate.resolve();
  await terminal.shows("The end.");

  const shown = new Set(terminal.everything());
  const missing = numbered(31)
    .split("\n\n")
    .filter((line) => !shown.has(line));
  expect(missing).toEqual([]);
});

test("lines of the shell before the conversation survive a resize", async () => {
  const terminal = openConversation([]);
  await terminal.shows("Try:");

  terminal.resize(70, 20);
  terminal.type("x");
  await terminal.until((lines) => lines.includes("x"));

  expect(terminal.everything().some((line) => line.includes("capstan 0."))).toBe(true);
});

test("the prompt and the line below it stay whole while lines are added above them", async () => {
  const script = [
    [say(numbered(40)), usage({ inputTokens: 10_000, outputTokens: 0 })],
    [say(numbered(40)), usage({ inputTokens: 50_000, outputTokens: 0 })],
  ];
  const terminal = openConversation(script);
  await terminal.shows("Try:");

  for (const [prompt, tokens] of [
    ["count", "% of context"],
    ["again", "% of context"],
  ] as const) {
    terminal.type(prompt);
    terminal.type(key.enter);
    await terminal.shows(tokens);
  }

  const border = "─".repeat(80);
  const bottom = terminal.window().slice(-5);
  expect(bottom).toEqual(["", border, "", border, expect.stringContaining("% of context")]);
});
