import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DeferredTool } from "@capstan/testing";
import { callTool, deferredTool, say } from "@capstan/testing";
import { expect, test } from "vitest";
import { PasteBursts } from "../../src/terminal/screen/paste-bursts.ts";
import { temporaryFolder } from "../memory-io.ts";
import type { OpenConversation } from "./headless.ts";
import { key, openConversation } from "./headless.ts";

interface Waiting {
  readonly terminal: OpenConversation;
  readonly tool: DeferredTool;
  readonly callId: string;
}

/** A turn whose tool waits. */
async function whileToolRuns(answers: readonly string[]): Promise<Waiting> {
  const tool = deferredTool();
  const script = [callTool("deferred"), ...answers.map((text) => say(text))];
  const terminal = openConversation(script, { tools: [tool], argv: ["--allow", "*"] });
  await terminal.shows("Try:");
  terminal.type("begin");
  terminal.type(key.enter);
  const [call] = await tool.whenStarted();
  await terminal.shows("esc interrupts");
  return { terminal, tool, callId: call?.toolCallId ?? "" };
}

test("enter steers the turn in progress, and the message is shown until it is delivered", async () => {
  const { terminal, tool, callId } = await whileToolRuns(["Steered."]);

  terminal.type("other way");
  terminal.type(key.enter);
  await terminal.shows("steering: other way");
  tool.resolve(callId, "ok");

  await terminal.shows("Steered.");
  expect(terminal.window()).toContain("> other way");
  expect(terminal.window().join("\n")).not.toContain("steering:");
  expect(terminal.provider.requests).toHaveLength(2);
});

test("alt+enter queues a follow-up for after the turn", async () => {
  const { terminal, tool, callId } = await whileToolRuns(["First.", "Second."]);

  terminal.type("and then");
  terminal.type(key.altEnter);
  await terminal.shows("follow-up: and then");
  tool.resolve(callId, "ok");

  await terminal.shows("Second.");
  expect(terminal.window().indexOf("First.")).toBeLessThan(terminal.window().indexOf("> and then"));
});

test("alt+up takes queued messages back into the prompt", async () => {
  const { terminal, tool, callId } = await whileToolRuns(["Alone."]);
  terminal.type("queued thought");
  terminal.type(key.altEnter);
  await terminal.shows("follow-up: queued thought");

  terminal.type(key.altUp);
  tool.resolve(callId, "ok");

  await terminal.shows("Alone.");
  await terminal.until((lines) => lines.includes("queued thought"));
  expect(terminal.window().join("\n")).not.toContain("follow-up:");
});

test("up brings the last prompt back", async () => {
  const terminal = openConversation([say("One."), say("Two.")]);
  await terminal.shows("Try:");
  terminal.type("say it");
  terminal.type(key.enter);
  await terminal.shows("One.");

  terminal.type(key.up);
  await terminal.until((lines) => lines.includes("say it"));
  terminal.type(key.enter);

  await terminal.shows("Two.");
});

test("ctrl+r searches earlier prompts", async () => {
  const terminal = openConversation([say("One."), say("Two.")]);
  await terminal.shows("Try:");
  terminal.type("about apples");
  terminal.type(key.enter);
  await terminal.shows("One.");
  terminal.type("about pears");
  terminal.type(key.enter);
  await terminal.shows("Two.");

  terminal.type("\u0012");
  await terminal.shows("Earlier prompts (2)");
  terminal.type("appl");
  await terminal.shows("Earlier prompts (1)");
  terminal.type(key.enter);

  await terminal.until((lines) => lines.includes("about apples"));
});

test("ctrl+j makes a second line, and both are sent", async () => {
  const terminal = openConversation([say("Got it.")]);
  await terminal.shows("Try:");

  terminal.type("line one");
  terminal.type(key.ctrlJ);
  terminal.type("line two");
  terminal.type(key.enter);

  await terminal.shows("Got it.");
  expect(terminal.provider.requests[0]?.messages[0]).toMatchObject({
    content: "line one\nline two",
  });
});

test("a paste of 5,000 lines is folded, and sent as a whole", async () => {
  const pasted = Array.from({ length: 5_000 }, (_, index) => `pasted ${index}`).join("\n");
  const terminal = openConversation([say("Long.")]);
  await terminal.shows("Try:");

  terminal.type(`\u001b[200~${pasted}\u001b[201~`);
  await terminal.shows("[paste #1 +5000 lines]");
  terminal.type(key.enter);

  await terminal.shows("Long.");
  expect(terminal.provider.requests[0]?.messages[0]).toMatchObject({ content: pasted });
});

test("a paste without marks is not sent line by line", async () => {
  const terminal = openConversation([say("Whole.")]);
  await terminal.shows("Try:");

  terminal.type("first\rsecond\rthird");
  await terminal.shows("third");
  terminal.type(key.enter);

  await terminal.shows("Whole.");
  expect(terminal.provider.requests).toHaveLength(1);
  expect(terminal.provider.requests[0]?.messages[0]).toMatchObject({
    content: "first\nsecond\nthird",
  });
});

test("chunks right after a burst belong to it; a key later does not", () => {
  let now = 0;
  const taken: string[] = [];
  const bursts = new PasteBursts(
    (text) => taken.push(`keys:${text}`),
    (text) => taken.push(`paste:${text}`),
    () => now,
  );

  bursts.take("a\rb");
  now += 10;
  bursts.take("last\r");
  now += 1_000;
  bursts.take("hello\r");

  expect(taken).toEqual(["paste:a\nb", "paste:last\n", "keys:hello\r"]);
});

test("@ completes a file, and the file goes along", async () => {
  const cwd = await temporaryFolder();
  mkdirSync(join(cwd, "src"));
  writeFileSync(join(cwd, "src/basket.ts"), "export const a = 1;\n");
  const terminal = openConversation([say("Read.")], { cwd });
  await terminal.shows("Try:");

  for (const letter of "see @bask") terminal.type(letter);
  await terminal.shows("src/basket.ts");
  terminal.type(key.tab);
  await terminal.shows("see @src/basket.ts");
  terminal.type(key.enter);

  await terminal.shows("Read.");
  expect(JSON.stringify(terminal.provider.requests[0]?.messages[0])).toContain("export const a");
  expect(terminal.window().join("\n")).toContain("[src/basket.ts: 1 lines]");
});

test("/ completes a command", async () => {
  const terminal = openConversation([]);
  await terminal.shows("Try:");

  for (const letter of "/per") terminal.type(letter);
  await terminal.shows("show the rules that apply");
  terminal.type(key.tab);

  await terminal.until((lines) => lines.includes("/permissions"));
});

test("!command runs in the user's shell, and the model does not see it", async () => {
  const terminal = openConversation([say("Hello.")], { env: { PATH: process.env["PATH"] } });
  await terminal.shows("Try:");

  terminal.type("!echo from the shell");
  terminal.type(key.enter);
  await terminal.shows("  from the shell");
  terminal.type("hi");
  terminal.type(key.enter);
  await terminal.shows("Hello.");

  expect(JSON.stringify(terminal.provider.requests[0]?.messages)).not.toContain("from the shell");
});

test("escape ends the user's own command", async () => {
  const terminal = openConversation([], { env: { PATH: process.env["PATH"] } });
  await terminal.shows("Try:");
  terminal.type("!echo started; sleep 60");
  terminal.type(key.enter);
  await terminal.shows("  started");

  terminal.type(key.escape);

  await terminal.shows("✗ ! echo started");
});
