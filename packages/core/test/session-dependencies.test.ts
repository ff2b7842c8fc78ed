/** What the tools of a session are given: for a turn, for the session, replaced by the agent, failing. */
import { defineTool, dependency, override } from "@capstan/core";
import type { AnyTool, Dependency } from "@capstan/core";
import type { Logger } from "@capstan/kernel";
import type { SessionRepository } from "@capstan/log";
import { callTool, remoteTool, reply, say } from "@capstan/testing";
import { setImmediate as nextTick } from "node:timers/promises";
import { expect, test } from "vitest";
import { distant } from "./started-turns.ts";
import { createWorld } from "./world.ts";

function lookAt(wanted: Dependency<unknown>, name = "look"): AnyTool {
  return defineTool({
    name,
    description: "Looks",
    input: { type: "object" },
    execute: async (_, context) => String(await context.get(wanted)),
  });
}

function counted(story: string[], scope: "turn" | "session"): Dependency<number> {
  let made = 0;
  const make = (): number => {
    story.push(`made ${(made += 1)}`);
    return made;
  };
  return dependency("db", make, { scope, dispose: (n) => void story.push(`disposed ${n}`) });
}

test("what lives for a turn is shared by its tools, and another for the turn that continues it", async () => {
  const story: string[] = [];
  const Db = counted(story, "turn");
  const calls = reply(callTool("look"), callTool("see"), callTool("remote"));
  const script = [calls, callTool("look"), say("Done")];
  const world = createWorld(script, [lookAt(Db), lookAt(Db, "see"), remoteTool()]);
  const session = world.host().createSession({ agent: "helper" });
  const { pendingToolCalls = [] } = await session.send("Hello").response;
  await session.waitForIdle();
  const afterFirst = [...story];

  const toolCallId = pendingToolCalls[0]?.toolCallId ?? "";
  await session.send([{ toolCallId, output: "yes" }]).response;
  await session.waitForIdle();

  expect(afterFirst).toEqual(["made 1", "disposed 1"]);
  expect(story).toEqual(["made 1", "disposed 1", "made 2", "disposed 2"]);
  const results = session.messages.flatMap((each) => (each.role === "tool" ? [each.content] : []));
  expect(results).toEqual(["1", "1", "yes", "2"]);
});

test("what the agent replaces is never made, and its own way to dispose is used", async () => {
  const story: string[] = [];
  const Db = counted(story, "session");
  const fake = override(Db, () => 42, { dispose: (n) => void story.push(`put away ${n}`) });
  const world = createWorld([callTool("look"), say("Done")], [lookAt(Db)], {
    dependencies: [fake],
  });
  const session = world.host().createSession({ agent: "helper" });

  await session.send("Hello").response;
  await session.close();

  expect(session.messages[2]).toMatchObject({ content: "42" });
  expect(story).toEqual(["put away 42"]);
});

test("one that cannot be made is an error result, and is tried again by the next who asks", async () => {
  let tries = 0;
  const Db = dependency(
    "db",
    async () => {
      tries += 1;
      if (tries === 1) throw new Error("the database sleeps");
      return "db";
    },
    { scope: "session" },
  );
  const world = createWorld([callTool("look"), callTool("look"), say("Done")], [lookAt(Db)]);
  const session = world.host().createSession({ agent: "helper" });

  await session.send("Hello").response;

  expect(session.messages[2]).toMatchObject({
    isError: true,
    content: expect.stringContaining("sleeps"),
  });
  expect(session.messages[4]).toMatchObject({ isError: false, content: "db" });
});

test("a logger is told what could not be disposed, and the turn ends as it should", async () => {
  const lines: string[] = [];
  const logger: Logger = {
    log: (level, message) => lines.push(`${level} ${message}`),
    startSpan: () => ({ setAttributes: () => {}, end: () => {} }),
  };
  const Db = dependency("db", () => "db", { dispose: () => Promise.reject(new Error("locked")) });
  const world = createWorld([callTool("look"), say("Done")], [lookAt(Db)], { logger });
  const session = world.host().createSession({ agent: "helper" });

  const { status } = await session.send("Hello").response;
  await session.waitForIdle();

  expect(status).toBe("completed");
  expect(lines).toEqual(['error Dispose of "db" failed: locked']);
});

test("a logger that fails keeps nobody from disposing the rest", async () => {
  const disposed: string[] = [];
  const logger: Logger = {
    log: () => {
      throw new Error("the logger is full");
    },
    startSpan: () => ({ setAttributes: () => {}, end: () => {} }),
  };
  const First = dependency("first", () => "first", { dispose: (name) => void disposed.push(name) });
  const Second = dependency("second", async (get) => `behind ${await get(First)}`, {
    dispose: () => Promise.reject(new Error("locked")),
  });
  const world = createWorld([callTool("look"), say("Done")], [lookAt(Second)], { logger });
  const session = world.host().createSession({ agent: "helper" });

  await session.send("Hello").response;
  await session.waitForIdle();

  expect(disposed).toEqual(["first"]);
});

test("a message that is sent before all is disposed of starts its turn after that, and closing waits for both", async () => {
  const story: string[] = [];
  const held = Promise.withResolvers<void>();
  const dispose = async (n: number): Promise<void> => {
    await held.promise;
    story.push(`disposed ${n}`);
  };
  let made = 0;
  const make = (): number => {
    story.push(`made ${(made += 1)}`);
    return made;
  };
  const Db = dependency("db", make, { dispose });
  const script = [callTool("look"), say("One"), callTool("look"), say("Two")];
  const world = createWorld(script, [lookAt(Db)]);
  const host = world.host();
  const session = host.createSession({ agent: "helper" });
  await session.send("Hello").response;

  const turn = session.send("Again");
  // Time enough for a turn that does not wait.
  for (let i = 0; i < 10; i += 1) await nextTick();
  const before = [...story];
  held.resolve();
  await turn.response;
  await host.close();

  expect(before).toEqual(["made 1"]);
  expect(story).toEqual(["made 1", "disposed 1", "made 2", "disposed 2"]);
});

test.each([
  ["at once", (store: SessionRepository) => store],
  ["later", distant],
])(
  "a message that waits until all is disposed of can be aborted before its request, on a store that answers %s",
  async (_, toStore) => {
    const held = Promise.withResolvers<void>();
    const Db = dependency("db", () => "db", { dispose: () => held.promise });
    const world = createWorld([callTool("look"), say("One"), say("Two")], [lookAt(Db)]);
    const session = world
      .host({ repository: toStore(world.repository) })
      .createSession({ agent: "helper" });
    await session.send("Hello").response;

    const turn = session.send("Again");
    for (let i = 0; i < 10; i += 1) await nextTick();
    await session.abort();
    held.resolve();
    const { finishReason } = await turn.response;

    expect(finishReason).toBe("aborted");
    expect(world.provider.requests).toHaveLength(2);
  },
);
