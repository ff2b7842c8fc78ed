import { say } from "@capstan/testing";
import { expect, test } from "vitest";
import { TerminalAnswers } from "../../src/terminal/screen/terminal-answers.ts";
import { key, openConversation } from "./headless.ts";

const code = say("```ts\nconst a = 1;\n```");
const white = "\u001b]11;rgb:ffff/ffff/ffff\u001b\\";
const black = "\u001b]11;rgb:0000/0000/0000\u0007";
const isLight = "\u001b[35mconst";
const isDark = "\u001b[95mconst";

async function colourAfter(answer: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  const terminal = openConversation([code], { env });
  await terminal.shows("Try:");
  terminal.type(answer);
  terminal.type("hello");
  terminal.type(key.enter);
  await terminal.shows("const a = 1;");
  return terminal.written();
}

test("the terminal is asked for its background after the first frame", async () => {
  const terminal = openConversation([]);
  await terminal.shows("Try:");

  const written = terminal.written();
  expect(written.indexOf("capstan 0.")).toBeLessThan(written.indexOf("\u001b]11;?\u0007"));
  expect(written).toContain("\u001b]11;?\u0007");
});

test("a light background is recognized by its colour", async () => {
  expect(await colourAfter(white)).toContain(isLight);
});

test("the answer overrides COLORFGBG, which counts without one", async () => {
  expect(await colourAfter(black, { COLORFGBG: "0;15" })).toContain(isDark);
  expect(await colourAfter("", { COLORFGBG: "0;15" })).toContain(isLight);
});

test("the theme that the user has chosen stays", async () => {
  const terminal = openConversation([code]);
  await terminal.shows("Try:");
  terminal.type("/theme dark");
  terminal.type(key.enter);
  await terminal.until((lines) => !lines.join("\n").includes("/theme"));

  terminal.type(white);
  terminal.type("hello");
  terminal.type(key.enter);

  await terminal.shows("const a = 1;");
  expect(terminal.written()).toContain(isDark);
});

test("NO_COLOR stays without colours, whatever the background is", async () => {
  expect(await colourAfter(white, { NO_COLOR: "1" })).not.toMatch(/\[[39]\dm/);
});

test.each(Array.from({ length: white.length - 1 }, (_, index) => index + 1))(
  "an answer that comes late and is cut after %i bytes never becomes text",
  async (cut) => {
    const terminal = openConversation([]);
    await terminal.shows("Try:");

    terminal.type(white.slice(0, cut));
    // Longer than a lone escape is waited for.
    await new Promise((resolve) => setTimeout(resolve, 60));
    terminal.type(white.slice(cut));
    terminal.type("typed");

    await terminal.until((lines) => lines.includes("typed"));
  },
);

test("the rest of an answer that was given up is swallowed, and keys after it are keys", () => {
  const answers = new TerminalAnswers({
    onKitty: () => {},
    onBackground: () => {},
    onAttributes: () => {},
  });

  const taken = ["\u001b]11;rgb:ff", ...["f", "/", "0"], "\u001b\\", "x"].map((one) =>
    answers.take(one),
  );

  expect(taken).toEqual([true, true, true, true, true, false]);
});
