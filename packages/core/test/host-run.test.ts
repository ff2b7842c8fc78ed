/** A host that runs until it is told to stop, and is drained then: nothing new begins, and what has begun is recorded. */
import { defineTool } from "@capstan/core";
import type { SessionRepository } from "@capstan/log";
import { callTool, reply, say, stall, wait } from "@capstan/testing";
import { expect, test } from "vitest";
import type { World } from "./world.ts";
import { createWorld } from "./world.ts";

function typesOf(world: World, sessionId: string): string[] {
  return world.entries(sessionId).map(({ type }) => type);
}

function signalListeners(): number {
  return process.listenerCount("SIGTERM") + process.listenerCount("SIGINT");
}

/** A tool that must not run twice, and takes as long as the test wants. */
function createSlowTool(name = "pay") {
  const gate = Promise.withResolvers<string>();
  const runs: string[] = [];
  const tool = defineTool({
    name,
    description: "Takes its time",
    input: { type: "object", properties: {} },
    execute: (_input, { toolCallId }) => {
      runs.push(toolCallId);
      return gate.promise;
    },
  });
  return { tool, runs, finish: () => gate.resolve("paid") };
}

test("a tool that runs is finished and recorded, and the next request is left to another host", async () => {
  const { tool, runs, finish } = createSlowTool();
  const world = createWorld([callTool("pay", {}), say("Paid")], [tool]);
  const host = world.host();
  const stop = new AbortController();
  const running = host.run({ signal: stop.signal });
  const session = host.createSession({ agent: "helper" });
  const turn = session.send("Pay");
  await world.clock.advance(0);

  stop.abort();
  await world.clock.advance(5_000);
  const whileItRuns = typesOf(world, session.id);
  finish();
  await running;
  const atHandover = typesOf(world, session.id);
  const other = world.host();
  await (await other.open(session.id)).waitForIdle();

  expect(whileItRuns.at(-1)).toBe("tool_intent");
  expect(atHandover.at(-1)).toBe("tool_result");
  await expect(turn.response).resolves.toMatchObject({ error: { code: "host_closed" } });
  expect(runs).toHaveLength(1);
  expect(world.provider.requests).toHaveLength(2);
  expect(typesOf(world, session.id)).toContain("turn_resumed");
  expect(typesOf(world, session.id).at(-1)).toBe("turn_ended");
});

test("a reply in progress is recorded to its end, and its calls are left to another host", async () => {
  const { tool, runs, finish } = createSlowTool();
  const model = Promise.withResolvers<void>();
  const script = [reply(wait(model.promise), callTool("pay", {})), say("Paid")];
  const world = createWorld(script, [tool]);
  const host = world.host();
  const stop = new AbortController();
  const running = host.run({ signal: stop.signal });
  const session = host.createSession({ agent: "helper" });
  session.send("Pay");
  await world.clock.advance(0);

  stop.abort();
  await world.clock.advance(500);
  model.resolve();
  await running;
  const atHandover = typesOf(world, session.id);
  finish();
  await (await world.host().open(session.id)).waitForIdle();

  expect(atHandover).not.toContain("tool_intent");
  expect(atHandover).toContain("attempt_ended");
  expect(runs).toHaveLength(1);
  expect(world.provider.requests).toHaveLength(2);
});

test("a turn is not left while one of its calls runs, though another could be", async () => {
  const [pay, book, mail] = [createSlowTool(), createSlowTool("book"), createSlowTool("mail")];
  const script = [reply(callTool("pay", {}), callTool("book", {}), callTool("mail", {}))];
  const tools = [pay.tool, book.tool, mail.tool];
  const world = createWorld(script, tools, { dispatch: { maxParallel: 2 } });
  const host = world.host();
  const stop = new AbortController();
  const running = host.run({ signal: stop.signal });
  const session = host.createSession({ agent: "helper" });
  session.send("All of it");
  await world.clock.advance(0);

  stop.abort();
  pay.finish();
  await world.clock.advance(0);
  const isMailing = mail.runs.length;
  book.finish();
  mail.finish();
  await running;

  const results = typesOf(world, session.id).filter((type) => type === "tool_result");
  expect(isMailing).toBe(1);
  expect(results).toHaveLength(3);
  expect(world.provider.requests).toHaveLength(1);
});

test("a turn that ends while the host is drained ends as always", async () => {
  const model = Promise.withResolvers<void>();
  const world = createWorld([reply(wait(model.promise), say("Hello"))]);
  const host = world.host();
  const stop = new AbortController();
  const running = host.run({ signal: stop.signal });
  const turn = host.createSession({ agent: "helper" }).send("Hi");
  await world.clock.advance(0);

  stop.abort();
  await world.clock.advance(500);
  model.resolve();
  await running;

  await expect(turn.response).resolves.toMatchObject({ status: "completed", text: "Hello" });
});

test("calls that take longer than drainMs are handed over as they are", async () => {
  const world = createWorld([stall(), say("Elsewhere")]);
  const host = world.host();
  const stop = new AbortController();
  const running = host.run({ signal: stop.signal, drainMs: 3_000 });
  const session = host.createSession({ agent: "helper" });
  session.send("Hi");
  await world.clock.advance(0);

  stop.abort();
  await world.clock.advance(2_999);
  const before = world.provider.openStreams;
  await world.clock.advance(1);
  await running;

  expect(before).toBe(1);
  expect(world.provider.openStreams).toBe(0);
  await (await world.host().open(session.id)).waitForIdle();
  expect(typesOf(world, session.id).at(-1)).toBe("turn_ended");
});

test("a host that is drained claims nothing, and refuses what is sent to it", async () => {
  const model = Promise.withResolvers<void>();
  const world = createWorld([reply(wait(model.promise), say("Late")), say("Elsewhere")]);
  let claims = 0;
  const repository: SessionRepository = {
    ...world.repository,
    claimDue(query) {
      claims += 1;
      return world.repository.claimDue(query);
    },
  };
  const host = world.host({ pollMs: 100, repository });
  const stop = new AbortController();
  const running = host.run({ signal: stop.signal });
  const session = host.createSession({ agent: "helper" });
  session.send("Hi");
  await world.clock.advance(0);
  const poster = world.host({ pollMs: Infinity });
  const left = poster.createSession({ agent: "helper" });

  stop.abort();
  await world.clock.advance(0);
  left.send("Hi");
  await poster.close();
  claims = 0;
  await world.clock.advance(2_000);
  const requests = world.provider.requests.length;
  const refused = session.send("More");
  model.resolve();
  await running;

  expect(requests).toBe(1);
  expect(claims).toBe(0);
  expect(() => host.createSession({ agent: "helper" })).toThrow("closed");
  await expect(refused.response).resolves.toMatchObject({ error: { code: "host_closed" } });
});

test("a turn that waits to be resumed is left at once", async () => {
  const world = createWorld([stall(), stall(), stall(), say("Done")]);
  const session = world.host().createSession({ agent: "helper" });
  session.send("Hi");
  await world.clock.advance(0);
  await session.close();
  for (const name of ["second", "third"]) {
    const host = world.host({ owner: name });
    await host.open(session.id);
    await world.clock.advance(0);
    await host.close();
  }
  const host = world.host({ pollMs: Infinity });
  const stop = new AbortController();
  const running = host.run({ signal: stop.signal });
  await host.open(session.id);
  await world.clock.advance(0);
  const requests = world.provider.requests.length;

  stop.abort();
  await running;

  expect(requests).toBe(3);
  expect(world.provider.requests).toHaveLength(3);
  expect(world.repository.acquire(session.id, "another", 1_000)).toBeDefined();
});

test("a run ends with its host, and leaves no listeners", async () => {
  const before = signalListeners();
  const host = createWorld([]).host();
  const stop = new AbortController();

  const running = host.run({ signal: stop.signal });
  const during = signalListeners();
  await host.close();
  await running;

  expect(during).toBe(before + 2);
  expect(signalListeners()).toBe(before);
  await expect(host.run()).rejects.toMatchObject({ code: "host_closed" });
});

test("a signal that has fired before ends the run at once", async () => {
  const host = createWorld([]).host();

  await host.run({ signal: AbortSignal.abort() });

  expect(() => host.createSession({ agent: "helper" })).toThrow("closed");
});

test.each([-1, Number.NaN])("drainMs cannot be %d", async (drainMs) => {
  const host = createWorld([]).host();

  await expect(host.run({ drainMs })).rejects.toMatchObject({ code: "invalid_input" });
});
