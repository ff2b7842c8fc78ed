import { say } from "@capstan/testing";
import { describe, expect, test } from "vitest";
import { key, openConversation } from "./headless.ts";

describe("in terminals with Kitty's keys", () => {
  const kitty = "\u001b[?5u";

  test("shift+enter makes a second line, and enter sends", async () => {
    const terminal = openConversation([say("Got it.")]);
    await terminal.shows("Try:");
    terminal.type(kitty);

    terminal.type("one");
    terminal.type("\u001b[13;2u");
    terminal.type("two");
    await terminal.until((lines) => lines.includes("two"));
    terminal.type("\u001b[13u");

    await terminal.shows("Got it.");
    expect(terminal.provider.requests[0]?.messages[0]).toMatchObject({ content: "one\ntwo" });
  });

  test("ctrl+c, letters with shift and releases of keys are understood", async () => {
    const terminal = openConversation([]);
    await terminal.shows("Try:");
    terminal.type(kitty);

    terminal.type("\u001b[97u\u001b[97;1:3u\u001b[98:66;2u");
    await terminal.until((lines) => lines.includes("aB"));
    terminal.type("\u001b[99;5u");

    await terminal.until((lines) => !lines.includes("aB"));
  });
});

test("a backslash before enter makes a second line", async () => {
  const terminal = openConversation([say("Got it.")]);
  await terminal.shows("Try:");

  terminal.type("one\\");
  terminal.type(key.enter);
  terminal.type("two");
  terminal.type(key.enter);

  await terminal.shows("Got it.");
  expect(terminal.provider.requests[0]?.messages[0]).toMatchObject({ content: "one\ntwo" });
});

test.each([
  ["wide letters", "日本語", 6],
  ["a combining accent", "e\u0301a", 2],
  ["a family of emoji", "👩‍👩‍👧x", 3],
  ["a flag", "🇩🇪x", 3],
  ["a skin tone", "👍🏽x", 3],
])("the cursor for an IME is after %s", async (_, text, columns) => {
  const terminal = openConversation([]);
  await terminal.shows("Try:");

  terminal.type(text);
  await terminal.until((lines) => lines.some((line) => line.includes(text.slice(-1))));

  // The last movement of the cursor is to its column, counted from 1.
  expect(terminal.written()).toMatch(new RegExp(`\\[${columns + 1}G[^G]*$`));
});

test.each(["日本語", "e\u0301", "👩‍👩‍👧", "🇩🇪", "नमस्ते"])("%s is sent as it was typed", async (text) => {
  const terminal = openConversation([say("Got it.")]);
  await terminal.shows("Try:");

  terminal.type(text);
  terminal.type(key.enter);

  await terminal.shows("Got it.");
  expect(terminal.provider.requests[0]?.messages[0]).toMatchObject({ content: text });
});

test("backspace removes a whole letter, however many codes it has", async () => {
  const terminal = openConversation([say("Got it.")]);
  await terminal.shows("Try:");

  terminal.type("a👩‍👩‍👧");
  terminal.type(key.backspace);
  terminal.type(key.enter);

  await terminal.shows("Got it.");
  expect(terminal.provider.requests[0]?.messages[0]).toMatchObject({ content: "a" });
});

test("a marked paste that comes in pieces is one paste", async () => {
  const terminal = openConversation([say("Got it.")]);
  await terminal.shows("Try:");

  for (const piece of ["\u001b[20", "0~one\r", "two\rthree", "\rfour\u001b[2", "01~"]) {
    terminal.type(piece);
  }
  terminal.type(key.enter);

  await terminal.shows("Got it.");
  expect(terminal.provider.requests).toHaveLength(1);
  expect(terminal.provider.requests[0]?.messages[0]).toMatchObject({
    content: "one\ntwo\nthree\nfour",
  });
});
