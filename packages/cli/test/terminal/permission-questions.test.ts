import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { callTool, say } from "@capstan/testing";
import { expect, test } from "vitest";
import { memoryIo, temporaryFolder } from "../memory-io.ts";
import type { OpenConversation } from "./headless.ts";
import { key, openConversation } from "./headless.ts";

const touch = (name: string) => callTool("bash", { command: `touch ${name}` });

async function ask(terminal: OpenConversation, prompt = "go"): Promise<void> {
  await terminal.shows("Try:");
  terminal.type(prompt);
  terminal.type(key.enter);
  await terminal.shows("? Allow");
}

test("a call that no rule allows asks with its exact input, and runs after yes", async () => {
  const cwd = await temporaryFolder();
  const terminal = openConversation([touch("made.txt"), say("Done.")], { cwd });
  await ask(terminal);
  expect(terminal.window().join("\n")).toContain("? Allow bash?\n  touch made.txt");

  terminal.type("y");

  await terminal.shows("Done.");
  expect(existsSync(join(cwd, "made.txt"))).toBe(true);
});

test("no refuses the call, and the model is told", async () => {
  const cwd = await temporaryFolder();
  const terminal = openConversation([touch("made.txt"), say("As you like.")], { cwd });
  await ask(terminal);

  terminal.type("n");

  await terminal.shows("As you like.");
  expect(existsSync(join(cwd, "made.txt"))).toBe(false);
  expect(JSON.stringify(terminal.provider.requests[1]?.messages)).toContain("The user said no.");
});

test("no with a reason tells the model the reason", async () => {
  const terminal = openConversation([touch("made.txt"), say("I see.")]);
  await ask(terminal);

  for (const pressed of Array<string>(5).fill(key.down)) terminal.type(pressed);
  terminal.type(key.enter);
  await terminal.shows("say why not");
  terminal.type("use the other folder");
  terminal.type(key.enter);

  await terminal.shows("I see.");
  const sent = JSON.stringify(terminal.provider.requests[1]?.messages);
  expect(sent).toContain("use the other folder");
});

test("escape returns from the reason to the question", async () => {
  const terminal = openConversation([touch("made.txt"), say("Done.")]);
  await ask(terminal);
  terminal.type("6");
  await terminal.shows("say why not");

  terminal.type(key.escape);

  await terminal.shows("? Allow bash?");
});

test("always in this session shows the rule, and the next such call does not ask", async () => {
  const cwd = await temporaryFolder();
  const script = [touch("one.txt"), touch("one.txt"), say("Done twice.")];
  const terminal = openConversation(script, { cwd, size: { columns: 100 } });
  await ask(terminal);
  expect(terminal.window().join("\n")).toContain(
    "2 Yes, always in this session: bash(touch one.txt)",
  );

  terminal.type("2");

  await terminal.shows("Done twice.");
  expect(terminal.window().join("\n")).toContain("allowed from now on: bash(touch one.txt)");
});

test("always everywhere writes the rule to the user's file, which is named", async () => {
  const { home } = memoryIo();
  const terminal = openConversation([touch("one.txt"), say("Done.")], {
    home,
    size: { columns: 160 },
  });
  await ask(terminal);
  const file = join(home, ".config/capstan/config.json");
  expect(terminal.window().join("\n")).toContain(
    "4 Yes, always everywhere (~/.config/capstan/config.json): bash(touch one.txt)",
  );

  terminal.type("4");

  await terminal.shows("Done.");
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
    permissions: { allow: ["bash(touch one.txt)"] },
  });
});

test("always in this project does not change a file that is not trusted, and the question stays", async () => {
  const cwd = await temporaryFolder();
  writeFileSync(join(cwd, "capstan.json"), "{}\n");
  const terminal = openConversation([touch("one.txt"), say("Done.")], { cwd });
  await ask(terminal);

  terminal.type("3");

  await terminal.shows("is not trusted");
  expect(terminal.window().join("\n")).toContain("? Allow bash?");
  expect(readFileSync(join(cwd, "capstan.json"), "utf8")).toBe("{}\n");
});

test("a compound command shows which of its commands ask", async () => {
  const command = callTool("bash", { command: "ls && touch x" });
  const terminal = openConversation([command, say("Done.")], { argv: ["--allow", "bash(ls)"] });

  await ask(terminal);

  const window = terminal.window().join("\n");
  expect(window).toContain("asks    touch x");
  expect(window).toContain("allowed ls");
});

test("an edit shows what it removes and what it adds", async () => {
  const edit = callTool("edit", { path: "a.txt", edits: [{ old: "before", new: "after" }] });
  const terminal = openConversation([edit, say("Done.")]);

  await ask(terminal);

  expect(terminal.window().join("\n")).toContain("  a.txt\n  - before\n  + after");
});

test("characters that hide text are shown by their numbers", async () => {
  const command = callTool("bash", { command: "echo safe \u202Etxt.exe\u001b[2K" });
  const terminal = openConversation([command, say("Done.")]);

  await ask(terminal);

  expect(terminal.window().join("\n")).toContain("echo safe <U+202E>txt.exe[2K");
});

test("an input longer than the window can be read to its end", async () => {
  const content = Array.from({ length: 100 }, (_, index) => `row ${index + 1}`).join("\n");
  const write = callTool("write", { path: "long.txt", content });
  const terminal = openConversation([write, say("Done.")]);
  await ask(terminal);
  expect(terminal.window().join("\n")).toMatch(/lines 1 to \d+ of 101: pgup, pgdn/);

  for (const pressed of Array<string>(20).fill(key.pageDown)) terminal.type(pressed);

  await terminal.shows("+ row 100");
});

test("two calls are asked about one after the other", async () => {
  const cwd = await temporaryFolder();
  const terminal = openConversation([[touch("a.txt"), touch("b.txt")], say("Both.")], { cwd });
  await ask(terminal);
  expect(terminal.window().join("\n")).toContain("(1 more after this)");

  terminal.type("y");
  await terminal.shows("  touch b.txt");
  await terminal.until((lines) => !lines.join("\n").includes("more after this"));
  terminal.type("y");

  await terminal.shows("Both.");
  expect([existsSync(join(cwd, "a.txt")), existsSync(join(cwd, "b.txt"))]).toEqual([true, true]);
});

test("a question that another terminal answers disappears, and both show the result", async () => {
  const { home } = memoryIo();
  const first = openConversation([touch("a.txt"), say("Made it.")], { home });
  await ask(first);
  const second = openConversation([say("Made it.")], { home, argv: ["--continue"] });
  await second.shows("? Allow bash?");

  second.type("y");

  await second.shows("Made it.");
  await first.shows("Made it.");
  expect(first.window().join("\n")).not.toContain("? Allow bash?");
  expect(first.window().join("\n")).toContain("answered elsewhere");
});

test("a question waits for the next start of the command", async () => {
  const { home } = memoryIo();
  const first = openConversation([touch("a.txt")], { home });
  await ask(first);
  first.signal();
  await first.exitCode;

  const second = openConversation([say("Made it.")], { home, argv: ["--continue"] });
  await second.shows("? Allow bash?");
  second.type("y");

  await second.shows("Made it.");
});
