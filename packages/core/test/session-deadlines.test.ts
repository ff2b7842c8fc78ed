/** How long a session waits for its model and its tools, and how often it asks again. */
import { createAgent } from "@capstan/core";
import type { AgentInit } from "@capstan/core";
import { ProviderError } from "@capstan/kernel";
import type { ChatMessage, Deadlines } from "@capstan/kernel";
import type { SessionEvent } from "@capstan/log";
import {
  callTool,
  deferredTool,
  failAfter,
  failBefore,
  hang,
  ping,
  reply,
  say,
  stall,
} from "@capstan/testing";
import type { ScriptItem } from "@capstan/testing";
import { expect, test } from "vitest";
import { createWorld } from "./world.ts";

test.each<[what: string, deadlines: Deadlines, item: ScriptItem, ms: number]>([
  ["the first part", { firstPartMs: 5_000 }, stall(), 5_000],
  ["the first part of a stream that is deaf", { firstPartMs: 5_000 }, hang(), 5_000],
  ["the next part", { betweenPartsMs: 4_000 }, reply(say("Wel"), stall()), 5_000],
  ["a whole attempt", { attemptMs: 7_000 }, reply(say("Wel"), ping(), stall()), 7_000],
])("%s that does not come in time is an attempt that failed, and is made again", async (...row) => {
  const [, deadlines, item, ms] = row;
  const world = createWorld([item, say("Well")], [], { deadlines, retry: { maxAttempts: 2 } });
  const session = world.host().createSession({ agent: "helper" });
  const startedAt = world.clock.now();

  const { text } = await world.clock.runUntil(session.send("Hello").response);

  expect(text).toBe("Well");
  expect(world.clock.now() - startedAt).toBeLessThanOrEqual(ms + 500);
  const ended = world.entries(session.id).filter(({ type }) => type === "attempt_ended");
  expect(ended).toMatchObject([
    { outcome: "discarded", error: { code: "network" } },
    { outcome: "completed" },
  ]);
});

test.each<[what: string, settings: Partial<AgentInit>, timeoutMs: number | undefined]>([
  ["of the agent", { deadlines: { toolMs: 3_000 } }, undefined],
  ["of the tool, which comes first", { deadlines: { toolMs: 60_000 } }, 3_000],
])(
  "a tool that takes longer than the limit %s is an error result",
  async (_, settings, timeoutMs) => {
    const tool = deferredTool(timeoutMs === undefined ? {} : { timeoutMs });
    const world = createWorld([callTool("deferred"), say("Too slow")], [tool], settings);
    const session = world.host().createSession({ agent: "helper" });
    const startedAt = world.clock.now();

    const { text } = await world.clock.runUntil(session.send("Hello").response);

    expect(text).toBe("Too slow");
    expect(world.clock.now() - startedAt).toBe(3_000);
    expect(tool.aborted).toHaveLength(1);
    expect(session.messages[2]).toMatchObject({
      isError: true,
      content: expect.stringContaining("3000 ms"),
    });
  },
);

test("a callback has as long as the agent gives it", async () => {
  const world = createWorld([say("Done")], [], {
    deadlines: { callbackMs: 2_000 },
    transformContext: () => new Promise<readonly ChatMessage[]>(() => {}),
  });
  const session = world.host().createSession({ agent: "helper" });
  const startedAt = world.clock.now();

  const { error } = await world.clock.runUntil(session.send("Hello").response);

  expect(world.clock.now() - startedAt).toBe(2_000);
  expect(error).toMatchObject({ code: "callback_failed" });
});

test("an agent that says nothing about it asks three times, and waits longer each time", async () => {
  const script = [failBefore("overloaded"), failAfter(say("Wel"), "rate_limit"), say("Well")];
  const world = createWorld(script);
  const agent = createAgent({ name: "helper", model: world.provider });
  const session = world.host({ agents: [agent] }).createSession({ agent: "helper" });
  const turn = session.send("Hello");

  const { text } = await world.clock.runUntil(turn.response);

  expect(text).toBe("Well");
  const events: SessionEvent[] = await Array.fromAsync(turn);
  expect(events.filter(({ type }) => type === "attempt_discarded")).toMatchObject([
    { attempt: 1, delayMs: 500 },
    { attempt: 2, delayMs: 1_000 },
  ]);
});

test.each<[what: string, failures: readonly ScriptItem[], requests: number, code: string]>([
  [
    "after as many attempts as it may make",
    Array(4).fill(failBefore("overloaded")),
    3,
    "overloaded",
  ],
  ["at once where asking again cannot help", [failBefore("auth"), say("Not asked for")], 1, "auth"],
  [
    "at once where it would have to wait too long",
    [failBefore(new ProviderError("rate_limit", "later", { retryAfterMs: 120_000 })), say("No")],
    1,
    "rate_limit",
  ],
])("a session gives up %s, with the error of the last attempt", async (...row) => {
  const [, failures, requests, code] = row;
  const world = createWorld(failures, [], { retry: { maxAttempts: 3 } });
  const session = world.host().createSession({ agent: "helper" });

  const response = await world.clock.runUntil(session.send("Hello").response);

  expect(response).toMatchObject({ status: "error", error: { code } });
  expect(world.provider.requests).toHaveLength(requests);
  expect(session.state.error).toEqual(response.error);
});

test("an abort does not wait for the next attempt", async () => {
  const world = createWorld([failBefore("overloaded"), say("Not asked for")], [], {
    retry: { maxAttempts: 2, baseDelayMs: 60_000, maxDelayMs: 60_000 },
  });
  const session = world.host().createSession({ agent: "helper" });
  const turn = session.send("Hello");
  await world.clock.advance(1_000);

  await session.abort();

  await expect(turn.response).resolves.toMatchObject({ status: "aborted" });
  expect(world.provider.requests).toHaveLength(1);
});

test("onOverflow may answer an error with another context, which one more attempt is made with", async () => {
  const world = createWorld([failBefore("context_overflow"), say("Shorter")], [], {
    onOverflow: ({ code }) =>
      code === "context_overflow" ? [{ role: "user", id: "u1", content: "In short" }] : undefined,
  });
  const session = world.host().createSession({ agent: "helper" });

  const { text } = await session.send("At length").response;

  expect(text).toBe("Shorter");
  expect(world.provider.requests[1]?.messages).toMatchObject([{ content: "In short" }]);
  expect(session.messages[0]).toMatchObject({ content: "At length" });
});
