import { callTool, say } from "@capstan/testing";
import { expect, test } from "vitest";
import type { OpenConversation } from "./headless.ts";
import { key, openConversation } from "./headless.ts";

const answer = [
  "# Title",
  "Some `code`, **bold** text and 日本語のテキスト with emoji 👩‍👩‍👧 in a line that is long enough to wrap.",
  "```ts\nconst a = 1;\n```",
  "| a | b |\n|---|---|\n| 1 | 2 |",
].join("\n\n");

async function converse(terminal: OpenConversation): Promise<void> {
  await terminal.shows("scripted ·");
  terminal.type("hello");
  terminal.type(key.enter);
  await terminal.shows("const a = 1;");
}

/** Codes of foreground and background colours. */
const colour = /\[(?:3[0-8]|4[0-8]|9\d|10\d)[;\dm]/;

test("colours are used", async () => {
  const terminal = openConversation([say(answer)]);

  await converse(terminal);

  expect(terminal.written()).toMatch(colour);
});

test("NO_COLOR draws without colours", async () => {
  const terminal = openConversation([say(answer), callTool("ls", { path: "." }), say("End.")], {
    env: { NO_COLOR: "1" },
  });

  await converse(terminal);

  expect(terminal.written()).not.toMatch(colour);
});

test("a light background has its own colours", async () => {
  const dark = openConversation([say(answer)]);
  const light = openConversation([say(answer)], { env: { COLORFGBG: "0;15" } });

  await converse(dark);
  await converse(light);

  expect(dark.written()).toContain("\u001b[95mconst");
  expect(light.written()).toContain("\u001b[35mconst");
});

test.each([30, 60, 200])("at %i columns nothing is cut off at the side", async (columns) => {
  const terminal = openConversation([say(answer)], { size: { columns, rows: 40 } });

  await converse(terminal);

  const text = terminal.window().join("").replaceAll(/\s+/g, "");
  expect(text).toContain("日本語のテキスト");
  expect(text).toContain("longenoughtowrap.");
});
