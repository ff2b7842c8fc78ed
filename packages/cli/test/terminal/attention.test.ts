import { systemClock } from "@capstan/core";
import { callTool, say, wait } from "@capstan/testing";
import { expect, test } from "vitest";
import type { OpenConversation } from "./headless.ts";
import { key, openConversation } from "./headless.ts";

/** A clock whose time can be moved. */
function movableClock() {
  let offset = 0;
  const clock = { ...systemClock, now: () => systemClock.now() + offset };
  return { clock, move: (ms: number) => void (offset += ms) };
}

async function begin(terminal: OpenConversation): Promise<void> {
  await terminal.shows("Try:");
  terminal.type("go");
  terminal.type(key.enter);
}

const titles = (terminal: OpenConversation): readonly string[] =>
  Array.from(terminal.written().matchAll(/\]0;(\P{Cc}*)/gu), ([, title = ""]) => title);
const bell = "\u0007\u0007";

test("the title tells that a turn is in progress, and that it has ended", async () => {
  const gate = Promise.withResolvers<void>();
  const terminal = openConversation([[say("One"), wait(gate.promise), say("Two")]]);
  await begin(terminal);
  await terminal.shows("One");
  const name = titles(terminal).at(-1)?.slice(2) ?? "";
  expect(titles(terminal).at(-1)).toBe(`● ${name}`);
  expect(name).toMatch(/^capstan: capstan-home-/);

  gate.resolve();

  await terminal.until(() => titles(terminal).at(-1) === name);
  expect(terminal.written()).not.toContain(bell);
});

test("a turn that took long ends with a bell, a notification and a mark in the title", async () => {
  const { clock, move } = movableClock();
  const gate = Promise.withResolvers<void>();
  const terminal = openConversation([[say("One"), wait(gate.promise), say("Two")]], { clock });
  await begin(terminal);
  await terminal.shows("One");

  move(11_000);
  gate.resolve();

  await terminal.until(() => terminal.written().includes(`\u001b]9;capstan is done${bell}`));
  expect(titles(terminal).at(-1)).toMatch(/^✓ capstan/);
});

test("a turn that asks after a long time notifies with what it asks", async () => {
  const { clock, move } = movableClock();
  const gate = Promise.withResolvers<void>();
  const script = [[wait(gate.promise), callTool("bash", { command: "touch x" })], say("Done.")];
  const terminal = openConversation(script, { clock });
  await begin(terminal);
  await terminal.shows("esc interrupts");

  move(11_000);
  gate.resolve();
  await terminal.shows("? Allow bash?");

  expect(terminal.written()).toContain(`\u001b]9;capstan asks: bash touch x${bell}`);
  expect(titles(terminal).at(-1)).toMatch(/^\? capstan/);
});
