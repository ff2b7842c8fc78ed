import { say, wait } from "@capstan/testing";
import { expect, test } from "vitest";
import type { OpenConversation } from "./headless.ts";
import { key, openConversation } from "./headless.ts";

const numbered = (count: number): string =>
  Array.from({ length: count }, (_, index) => `Line number ${index + 1}.`).join("\n\n");

async function converse(
  script: Parameters<typeof openConversation>[0],
  last: string,
): Promise<OpenConversation> {
  const terminal = openConversation(script, { argv: ["--fullscreen"] });
  await terminal.shows("Try:");
  terminal.type("count");
  terminal.type(key.enter);
  await terminal.shows(last);
  return terminal;
}

test("--fullscreen fills the alternate screen, with the prompt at its end and no scrollback", async () => {
  const terminal = await converse([say(numbered(60))], "Line number 60.");

  expect(terminal.isAlternate()).toBe(true);
  expect(terminal.window()).toHaveLength(24);
  expect(terminal.window().at(-1)).toContain("scripted");
  expect(terminal.everything()).toHaveLength(24);
});

test("page up and page down scroll, and ctrl+end returns to the end", async () => {
  const terminal = await converse([say(numbered(60))], "Line number 60.");

  terminal.type(key.pageUp);
  terminal.type(key.pageUp);
  await terminal.shows("↓ more below");
  expect(terminal.window()).not.toContain("Line number 60.");
  terminal.type(key.pageDown);
  terminal.type(key.pageDown);
  await terminal.shows("Line number 60.");
  terminal.type(key.pageUp);
  await terminal.shows("↓ more below");
  terminal.type(key.ctrlEnd);

  await terminal.shows("Line number 60.");
  expect(terminal.window().join("\n")).not.toContain("↓ more below");
});

test("the wheel scrolls, and no report of the mouse becomes text", async () => {
  const terminal = await converse([say(numbered(60))], "Line number 60.");

  terminal.type("\u001b[<64;10;10M");
  terminal.type("\u001b[<0;10;10M\u001b[<0;10;10m");

  await terminal.shows("↓ more below");
  expect(terminal.window().at(-3)).toBe("");
});

test("the beginning can be reached, and the first line stays at the top", async () => {
  const terminal = await converse([say(numbered(60))], "Line number 60.");

  for (let page = 0; page < 20; page += 1) terminal.type(key.pageUp);

  await terminal.shows("> count");
});

test("a window that was scrolled away stays while more text comes", async () => {
  const gate = Promise.withResolvers<void>();
  const script = [[say(`${numbered(40)}\n\n`), wait(gate.promise), say("Line number 41.\n\nEnd.")]];
  const terminal = await converse(script, "Line number 40.");
  terminal.type(key.pageUp);
  await terminal.shows("↓ more below");
  const before = terminal.window().slice(0, 15);

  gate.resolve();
  await terminal.until((lines) => !lines.join("\n").includes("esc interrupts"));

  expect(terminal.window().slice(0, 15)).toEqual(before);
  terminal.type(key.ctrlEnd);
  await terminal.shows("End.");
});

test.each([
  { columns: 40, rows: 10 },
  { columns: 120, rows: 50 },
])("a resize to $columns × $rows fills the window again", async ({ columns, rows }) => {
  const terminal = await converse([say(numbered(60))], "Line number 60.");

  terminal.resize(columns, rows);
  terminal.type("x");

  await terminal.until((lines) => lines.includes("x") && lines.includes("Line number 60."));
  expect(terminal.window()).toHaveLength(rows);
});

test.each(["leaving", "a signal"])("%s returns to the main screen as it was", async (way) => {
  const terminal = await converse([say("Short.")], "Short.");

  if (way === "leaving") terminal.type(key.ctrlD);
  else terminal.signal();
  await terminal.exitCode;

  await terminal.until((lines) => !lines.join("\n").includes("Short."));
  expect(terminal.isAlternate()).toBe(false);
});
