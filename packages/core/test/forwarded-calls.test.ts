/** Calls of a tool that forwards them: everything but the transcript sees the tool that runs. */
import type { AnyTool, ToolHooks } from "@capstan/core";
import { defineTool, suspend } from "@capstan/core";
import type { ForwardedCall, JsonValue } from "@capstan/kernel";
import { assertValidTranscript, callTool, say } from "@capstan/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { mortal } from "./mortal.ts";
import type { World } from "./world.ts";
import { createWorld } from "./world.ts";

/** `use` forwards to the tool that its input names. */
function forwardingTool(...hidden: readonly AnyTool[]): AnyTool {
  const own = defineTool({
    name: "use",
    description: "Uses another tool",
    input: z.object({ name: z.string(), arguments: z.unknown() }),
    effect: "pure",
    execute: ({ name }) => `There is no ${name}`,
  });
  const forward = (input: JsonValue): ForwardedCall | undefined => {
    const sent = input as { readonly name?: string; readonly arguments?: JsonValue };
    const tool = hidden.find(({ name }) => name === sent.name);
    return tool && { tool, input: sent.arguments ?? null };
  };
  return { ...own, forward };
}

interface Adder {
  readonly tool: AnyTool;
  readonly runs: number[];
}

function adder(settings: { readonly needsApproval?: boolean } = {}): Adder {
  const runs: number[] = [];
  const tool = defineTool({
    name: "add",
    description: "Adds one",
    input: z.object({ n: z.number() }),
    execute({ n }) {
      runs.push(n);
      return String(n + 1);
    },
    ...settings,
  });
  return { tool, runs };
}

const useAdd = callTool("use", { name: "add", arguments: { n: 1 } });

function worldOf(tool: AnyTool, hooks?: ToolHooks, call = useAdd): World {
  return createWorld([call, say("Done")], [forwardingTool(tool)], hooks && { hooks });
}

test("the model sees its own call, and hooks and events see the tool that runs", async () => {
  const seen: unknown[] = [];
  const world = worldOf(adder().tool, {
    before: ({ toolName, input }) => void seen.push(["before", toolName, input]),
    after: ({ toolName, input }) => void seen.push(["after", toolName, input]),
  });
  const session = world.host().createSession({ agent: "helper" });
  const turn = session.send("Go");
  const live: unknown[] = [];
  for await (const event of turn) {
    if (event.type === "tool_execution_start") live.push([event.toolName, event.input]);
    if (event.type === "tool_execution_end") live.push([event.toolName, event.output]);
  }

  expect(seen).toEqual([
    ["before", "add", { n: 1 }],
    ["after", "add", { n: 1 }],
  ]);
  expect(live).toEqual([
    ["add", { n: 1 }],
    ["add", "2"],
  ]);
  expect(session.messages[1]).toMatchObject({ content: [{ name: "use" }] });
  expect(session.messages[2]).toMatchObject({ role: "tool", toolName: "use", content: "2" });
  expect(world.provider.requests[0]?.tools).not.toContain("add");
  expect(world.events(session.id).map(({ event }) => event)).toContainEqual(
    expect.objectContaining({ type: "tool_execution_end", toolName: "add" }),
  );
  assertValidTranscript(session.messages);
});

test("an approval is about the tool that runs and its input, and runs exactly that in another process", async () => {
  const { tool, runs } = adder({ needsApproval: true });
  const world = worldOf(tool);
  const session = world.host().createSession({ agent: "helper" });
  await session.send("Go").response;
  await session.close();
  const elsewhere = await world.host().open(session.id);
  const [pending] = elsewhere.pendingToolCalls;

  expect(pending).toMatchObject({ kind: "approval", toolName: "add", input: { n: 1 } });
  expect(await elsewhere.approve(pending ?? "").response).toMatchObject({ status: "completed" });
  expect(runs).toEqual([1]);
});

test("input that does not fit is an error of the tool that would run", async () => {
  const call = callTool("use", { name: "add", arguments: { n: "one" } });
  const { tool, runs } = adder();
  const world = worldOf(tool, undefined, call);
  const session = world.host().createSession({ agent: "helper" });
  await session.send("Go").response;

  expect(session.messages[2]).toMatchObject({
    isError: true,
    content: expect.stringMatching(/"add".*n/s),
  });
  expect(runs).toEqual([]);
});

test("a call that cannot be forwarded runs the tool that the model called", async () => {
  const world = worldOf(adder().tool, undefined, callTool("use", { name: "sub", arguments: {} }));
  const session = world.host().createSession({ agent: "helper" });
  await session.send("Go").response;

  expect(session.messages[2]).toMatchObject({ content: "There is no sub", isError: false });
});

test("a forward that throws runs the tool that the model called", async () => {
  const failing: AnyTool = {
    ...forwardingTool(),
    forward: () => {
      throw new Error("no");
    },
  };
  const world = createWorld([useAdd, say("Done")], [failing]);
  const session = world.host().createSession({ agent: "helper" });
  await session.send("Go").response;

  expect(session.messages[2]).toMatchObject({ content: "There is no add" });
});

test("a forwarded call that suspends itself asks, and continues in another process", async () => {
  const tool = defineTool({
    name: "ask",
    description: "Asks",
    input: z.object({ city: z.string() }),
    execute({ city }, { resumed }) {
      if (resumed === undefined) {
        return suspend({ questions: [{ kind: "execution", input: { city } }], state: 1 });
      }
      const [answer] = resumed.answers;
      return `${city}: ${answer?.state === "settled" ? JSON.stringify(answer.result.output) : "?"}`;
    },
  });
  const call = callTool("use", { name: "ask", arguments: { city: "Oslo" } });
  const world = worldOf(tool, undefined, call);
  const session = world.host().createSession({ agent: "helper" });
  await session.send("Go").response;
  const [question] = session.pendingToolCalls;
  await session.close();
  const elsewhere = await world.host().open(session.id);
  await elsewhere.send([{ toolCallId: question?.toolCallId ?? "", output: "rain" }]).response;

  expect(question).toMatchObject({ toolName: "ask", input: { city: "Oslo" } });
  expect(elsewhere.messages[2]).toMatchObject({ toolName: "use", content: 'Oslo: "rain"' });
});

test("after a crash the effect of the tool that ran decides, not that of the tool that was called", async () => {
  const { tool, runs } = adder();
  const world = worldOf(tool);
  const process = mortal(world.repository);
  const session = world.host({ repository: process.repository }).createSession({ agent: "helper" });
  process.dieAfter("tool_intent");
  session.send("Go");
  await world.clock.advance(0);
  const elsewhere = await world.host().open(session.id);
  await world.clock.advance(32_000);

  expect(runs).toEqual([]);
  expect(elsewhere.messages[2]).toMatchObject({
    isError: true,
    content: expect.stringContaining("outcome is unknown"),
  });
});
