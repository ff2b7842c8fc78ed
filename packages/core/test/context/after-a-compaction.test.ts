import { callTool, echoTool, say, stall } from "@capstan/testing";
import { expect, test } from "vitest";
import { full, long, shown, smallWorld, summary } from "./compaction-world.ts";

test("a fork does not do what waits in its original", async () => {
  const world = smallWorld([say("Hello!"), stall(), say("Forked")]);
  const session = world.session();
  await session.run(long("Hello"));
  // It stalls, and is refused when its host is closed after the test.
  session.compact().catch(() => {});
  await world.clock.advance(0);

  const fork = await session.fork();
  await fork.waitForIdle();

  expect(world.provider.requests).toHaveLength(2);
  expect(await fork.run("And now?")).toBe("Forked");
  expect(fork.usage).toEqual({ unreportedAttempts: 1 });
});

test("a fork has the summary, and pays for nothing that was before", async () => {
  const world = smallWorld([say("Hello!"), summary, say("Fine"), say("Forked")]);
  const session = world.session();
  await session.run(long("Hello"));
  await session.compact();
  await session.run("How are you?");

  const fork = await session.fork();
  await fork.run("And now?");

  expect(shown(world.provider.requests[3]?.messages ?? [])).toEqual([
    "user: [summary] They greeted each other.",
    "user: How are you?",
    "assistant: Fine",
    "user: And now?",
  ]);
  expect(fork.usage).toEqual({ unreportedAttempts: 1 });
});

test("a snapshot that is restored elsewhere has the summary", async () => {
  const world = smallWorld([say("Hello!"), summary, say("Fine")]);
  const session = world.session();
  await session.run(long("Hello"));
  await session.compact();
  const state = await session.snapshot();

  const elsewhere = smallWorld([say("Here")]);
  const restored = await elsewhere.host().restore(state, { trust: "own" });
  await restored.run("How are you?");

  expect(shown(elsewhere.provider.requests[0]?.messages ?? [])).toEqual([
    "user: [summary] They greeted each other.",
    "user: How are you?",
  ]);
});

test("another history begins without the summary", async () => {
  const world = smallWorld([say("Hello!"), summary, say("Fine")]);
  const session = world.session();
  await session.run(long("Hello"));
  await session.compact();

  await session.loadHistory([{ role: "user", id: "m1", content: "Before" }]);
  await session.run("After");

  expect(shown(world.provider.requests[2]?.messages ?? [])).toEqual([
    "user: Before",
    "user: After",
  ]);
});

test("the report of a turn that has no steps left is asked for after the summary", async () => {
  const script = [full(callTool("echo"), 8_500), summary, say("This was done")];
  const world = smallWorld(script, { tools: [echoTool()], settings: { maxSteps: 1 } });

  const response = await world.session().send(long("Look")).response;

  expect(response).toMatchObject({ finishReason: "max-steps", text: "This was done" });
  expect(shown(world.provider.requests[2]?.messages ?? [])).toEqual([
    "user: [summary] They greeted each other.",
    expect.stringMatching(/no steps left/),
  ]);
});

test("with another model of less room the context is compacted when the turn begins", async () => {
  const world = smallWorld([full(say("Hello!"), 5_000)]);
  const small = smallWorld([summary, say("Fine")], { contextWindow: 6_000 }).provider;
  const session = world.session();
  await session.run(long("Hello"));

  await session.configure({ model: { provider: small, id: "small" } });
  await session.run("How are you?");

  expect(shown(small.requests[1]?.messages ?? [])).toEqual([
    "user: [summary] They greeted each other.",
    "user: How are you?",
  ]);
});
