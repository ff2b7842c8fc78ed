/** Who may look at the tool calls of a session before and after they run, and in which order they do. */
import { callTool, deferredTool, echoTool, remoteTool, reply, say } from "@capstan/testing";
import { expect, test } from "vitest";
import { createWorld } from "./world.ts";

test("a hook that blocks is the model's to read, and nothing runs", async () => {
  const tool = echoTool();
  const world = createWorld([callTool("echo", { n: 1 }), say("Understood")], [tool], {
    hooks: { before: ({ toolName }) => ({ action: "block", reason: `no ${toolName} here` }) },
  });
  const session = world.host().createSession({ agent: "helper" });

  const { text } = await session.send("Hello").response;

  expect(text).toBe("Understood");
  expect(tool.started).toEqual([]);
  expect(session.messages[2]).toMatchObject({ isError: true, content: "no echo here" });
});

test("a hook that alters gives the tool another input, and the log says which", async () => {
  const tool = echoTool();
  const world = createWorld([callTool("echo", { n: 1 }), say("Done")], [tool], {
    hooks: { before: () => ({ action: "alter", input: { n: 2 } }) },
  });
  const session = world.host().createSession({ agent: "helper" });

  await session.send("Hello").response;

  expect(session.messages[2]).toMatchObject({ content: '{"n":2}' });
  expect(session.messages[1]).toMatchObject({ content: [{ input: { n: 1 } }] });
  const intents = world.entries(session.id).filter(({ type }) => type === "tool_intent");
  expect(intents).toMatchObject([{ input: { n: 2 } }]);
});

test("a hook behind a call sees what came of it, local or remote, and what it makes of it is all that is kept", async () => {
  const seen: string[] = [];
  const calls = reply(callTool("echo", { key: "secret" }), callTool("remote"));
  const world = createWorld([calls, say("Done")], [echoTool(), remoteTool()], {
    hooks: {
      after: ({ toolName }, result) => {
        seen.push(toolName);
        return { ...result, output: `${toolName}: hidden` };
      },
    },
  });
  const session = world.host().createSession({ agent: "helper" });
  const { pendingToolCalls = [] } = await session.send("Hello").response;

  const toolCallId = pendingToolCalls[0]?.toolCallId ?? "";
  await session.send([{ toolCallId, output: "picked" }]).response;

  expect(seen).toEqual(["echo", "remote"]);
  expect(session.messages.slice(2, 4)).toMatchObject([
    { content: "echo: hidden" },
    { content: "remote: hidden" },
  ]);
});

test("calls run in parallel, as many at once as the agent allows", async () => {
  const tool = deferredTool();
  const calls = reply(callTool("deferred"), callTool("deferred"), callTool("deferred"));
  const world = createWorld([calls, say("Done")], [tool], { dispatch: { maxParallel: 2 } });
  const session = world.host().createSession({ agent: "helper" });
  const turn = session.send("Hello");
  const [first, second] = await tool.whenStarted(2);
  await world.clock.advance(0);
  const atOnce = tool.started.length;

  tool.resolve(second?.toolCallId ?? "", "two");
  const [, , third] = await tool.whenStarted(3);
  tool.resolve(third?.toolCallId ?? "", "three");
  tool.resolve(first?.toolCallId ?? "", "one");
  await turn.response;

  expect(atOnce).toBe(2);
  expect(session.messages.slice(2, 5)).toMatchObject([
    { content: "one" },
    { content: "two" },
    { content: "three" },
  ]);
});

test("a sequential tool runs alone, and a sequential agent runs every tool so", async () => {
  const calls = reply(callTool("deferred"), callTool("echo"), callTool("deferred"));
  const runs = [
    { tool: deferredTool(), echo: echoTool({ execution: "sequential" }), dispatch: {} },
    { tool: deferredTool(), echo: echoTool(), dispatch: { mode: "sequential" } as const },
  ];
  const started = await Promise.all(
    runs.map(async ({ tool, echo, dispatch }) => {
      const world = createWorld([calls, say("Done")], [tool, echo], { dispatch });
      world.host().createSession({ agent: "helper" }).send("Hello");
      await tool.whenStarted();
      await world.clock.advance(0);
      return [tool.started.length, echo.started.length];
    }),
  );

  expect(started).toEqual([
    [1, 0],
    [1, 0],
  ]);
});

test("with skip-remaining, steering keeps the calls that have not started from running", async () => {
  const tool = deferredTool();
  const echo = echoTool();
  const calls = reply(callTool("deferred"), callTool("echo"));
  const world = createWorld([calls, say("Indoors, then")], [tool, echo], {
    dispatch: { mode: "sequential", steering: "skip-remaining" },
  });
  const session = world.host().createSession({ agent: "helper" });
  const turn = session.send("Go out");
  const [call] = await tool.whenStarted();

  await session.steer("Only indoors");
  tool.resolve(call?.toolCallId ?? "", "ok");
  await turn.response;

  expect(echo.started).toEqual([]);
  expect(session.messages.slice(2, 5)).toMatchObject([
    { role: "tool", isError: false },
    { role: "tool", isError: true },
    { role: "user", content: "Only indoors" },
  ]);
});

test("which tool the model should choose is that of the turn, else that of the agent", async () => {
  const world = createWorld([say("One"), say("Two"), say("Three")], [echoTool()], {
    toolChoice: "auto",
  });
  const session = world.host().createSession({ agent: "helper" });

  await session.send("First").response;
  await session.send("Second", { toolChoice: { tool: "echo" } }).response;
  await session.send("Third", { toolChoice: "none" }).response;

  expect(world.provider.requests.map(({ options }) => options.toolChoice)).toEqual([
    "auto",
    { tool: "echo" },
    "none",
  ]);
});

test("a tool sees its session, its turn, its folder and a key that is the same in every host", async () => {
  const tool = echoTool();
  const world = createWorld([callTool("echo"), say("Done")], [tool], { cwd: "/work" });
  const session = world.host().createSession({ agent: "helper" });

  await session.send("Hello", { id: "t1" }).response;

  const context = tool.started[0]?.context;
  expect(context).toMatchObject({
    conversationId: session.id,
    turnId: "t1",
    step: 1,
    cwd: "/work",
    toolCallId: "t1_1_0",
  });
  const intents = world.entries(session.id).filter(({ type }) => type === "tool_intent");
  expect(intents).toMatchObject([{ key: context?.idempotencyKey }]);
});
