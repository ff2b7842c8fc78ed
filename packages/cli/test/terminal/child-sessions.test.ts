/** Agents that are tools, as the terminal shows their work. */
import type { AgentToolOptions, AnyTool } from "@capstan/core";
import { agentTool, createAgent } from "@capstan/core";
import type { ScriptItem } from "@capstan/testing";
import { callTool, deferredTool, echoTool, say, scriptedProvider, wait } from "@capstan/testing";
import { expect, test } from "vitest";
import type { OpenConversation } from "./headless.ts";
import { key, openConversation } from "./headless.ts";

function asTool(
  name: string,
  script: readonly ScriptItem[],
  tools: readonly AnyTool[] = [],
  options: Partial<AgentToolOptions> = {},
): AnyTool {
  const agent = createAgent({ name, model: scriptedProvider(script), tools });
  return agentTool(agent, { description: `Asks the ${name}`, ...options });
}

/** Sends a prompt, and allows the call of the agent. */
async function begin(terminal: OpenConversation): Promise<void> {
  await terminal.shows("Try:");
  terminal.type("go");
  terminal.type(key.enter);
  await terminal.shows("? Allow researcher?");
  terminal.type("y");
}

const screenOf = (terminal: OpenConversation): string => terminal.window().join("\n");

test("a call of an agent shows its calls with their state and its text, folded when it is done", async () => {
  const slow = deferredTool();
  const open = Promise.withResolvers<void>();
  const script = [
    callTool("echo", { text: "one" }),
    callTool("deferred", { n: 2 }),
    [say("Found it: "), wait(open.promise), say("42")],
  ];
  const researcher = asTool("researcher", script, [echoTool(), slow]);
  const ask = callTool("researcher", { task: "Find it" });
  const terminal = openConversation([ask, say("It is 42.")], { tools: [researcher] });
  await begin(terminal);

  await terminal.shows("● deferred n: 2");
  const during = screenOf(terminal);
  const [call] = await slow.whenStarted(1);
  slow.resolve(call?.toolCallId ?? "", "ok");
  await terminal.shows("Found it:");
  const later = screenOf(terminal);
  open.resolve();
  await terminal.shows("It is 42.");
  const after = screenOf(terminal);

  expect(during).toContain("● researcher task: Find it\n  ● echo text: one\n  ● deferred n: 2");
  expect(later).toContain("  ● deferred n: 2\n  Found it:");
  expect(after).toContain("● researcher task: Find it\n  2 calls\n  Found it: 42");
  expect(after).not.toContain("● echo");
});

test("an agent below an agent is indented below its call", async () => {
  const slow = deferredTool();
  const reader = asTool("reader", [callTool("deferred", { page: 7 }), say("a page")], [slow]);
  const researcher = asTool(
    "researcher",
    [callTool("reader", { task: "Read" }), say("Done")],
    [reader],
  );
  const ask = callTool("researcher", { task: "Find it" });
  const terminal = openConversation([ask, say("All done.")], { tools: [researcher] });
  await begin(terminal);

  await terminal.shows("● deferred page: 7");
  const during = screenOf(terminal);
  const [call] = await slow.whenStarted(1);
  slow.resolve(call?.toolCallId ?? "", "ok");
  await terminal.shows("All done.");

  expect(during).toContain("  ● reader task: Read\n    ● deferred page: 7");
});

test("a question of a child names the agents that it is asked for", async () => {
  const reader = asTool(
    "reader",
    [callTool("echo", { text: "x" }), say("a page")],
    [echoTool({ needsApproval: true })],
  );
  const researcher = asTool(
    "researcher",
    [callTool("reader", { task: "Read" }), say("Done")],
    [reader],
  );
  const ask = callTool("researcher", { task: "Find it" });
  const terminal = openConversation([ask, say("All done.")], { tools: [researcher] });
  await begin(terminal);

  await terminal.shows("? Allow echo?");
  const during = screenOf(terminal);
  terminal.type("y");
  await terminal.shows("All done.");

  expect(during).toContain("? Allow echo? for researcher › reader");
  expect(during).toContain("○ echo text: x");
});

/** A conversation whose researcher waits in the background for an approval. */
function inBackground(): {
  readonly terminal: OpenConversation;
  readonly echo: ReturnType<typeof echoTool>;
} {
  const echo = echoTool({ needsApproval: true });
  const reader = asTool("reader", [callTool("echo", { text: "x" }), say("a page")], [echo]);
  const script = [callTool("reader", { task: "Read" }), say("Found it.")];
  const researcher = asTool("researcher", script, [reader], { mode: "background" });
  const ask = callTool("researcher", { task: "Find it" });
  const replies = [ask, say("I have it looked up."), say("Here it is.")];
  return { terminal: openConversation(replies, { tools: [researcher] }), echo };
}

test("a question of a child in the background is asked between two turns, and the answer reaches the child", async () => {
  const { terminal, echo } = inBackground();
  await begin(terminal);

  await terminal.shows("? Allow echo?");
  const during = screenOf(terminal);
  terminal.type("y");
  await terminal.shows("Here it is.");

  expect(during).toContain("I have it looked up.");
  expect(during).toContain("? Allow echo? for researcher › reader");
  expect(echo.started).toHaveLength(1);
});

test("a refusal reaches the child in the background", async () => {
  const { terminal, echo } = inBackground();
  await begin(terminal);
  await terminal.shows("? Allow echo?");

  terminal.type("n");
  await terminal.shows("Here it is.");

  expect(echo.started).toHaveLength(0);
});

test("the question waits while the user writes, so that no letter answers it", async () => {
  const slow = deferredTool();
  const echo = echoTool({ needsApproval: true });
  const script = [callTool("deferred", {}), callTool("echo", { text: "x" }), say("Found it.")];
  const researcher = asTool("researcher", script, [slow, echo], { mode: "background" });
  const ask = callTool("researcher", { task: "Find it" });
  const replies = [ask, say("I have it looked up."), say("Here it is.")];
  const terminal = openConversation(replies, { tools: [researcher] });
  await begin(terminal);
  const [call] = await slow.whenStarted(1);
  await terminal.shows("I have it looked up.");

  terminal.type("yes, ");
  await terminal.shows("yes,");
  slow.resolve(call?.toolCallId ?? "", "ok");
  await terminal.shows("a question waits");
  const writing = screenOf(terminal);
  for (const _ of "yes, ") terminal.type(key.backspace);
  await terminal.shows("? Allow echo? for researcher");
  terminal.type("y");
  await terminal.shows("Here it is.");

  expect(writing).not.toContain("? Allow echo?");
  expect(echo.started).toHaveLength(1);
});
