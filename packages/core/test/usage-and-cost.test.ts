import { agentTool, createAgent, forkSession } from "@capstan/core";
import type { AnyTool, ModelPrice } from "@capstan/core";
import type { Usage } from "@capstan/kernel";
import type { SessionEvent } from "@capstan/log";
import {
  callTool,
  failAfter,
  failBefore,
  remoteTool,
  reply,
  say,
  scriptedProvider,
  stall,
  usage,
} from "@capstan/testing";
import type { ScriptItem } from "@capstan/testing";
import { describe, expect, test } from "vitest";
import { mortal } from "./mortal.ts";
import { expectTotals, million, price, pricedWorld } from "./priced-world.ts";

const leaseMs = 30_000;

/** A researcher that may be asked, whose own model costs half as much. */
function researcher(script: readonly ScriptItem[], includeCost: boolean): AnyTool {
  const provider = scriptedProvider(script, { id: "other" });
  const model = { provider, id: "small", price: { inputPerMillion: 1, outputPerMillion: 0 } };
  const retry = { maxAttempts: 1 };
  const helper = createAgent({ name: "researcher", model, includeCost, retry });
  return agentTool(helper, { description: "Finds things" });
}

describe("usage and cost", () => {
  test("an attempt that was aborted counts with what it had reported, at its price", async () => {
    const world = pricedWorld([reply(usage(million), say("Half"), stall())]);
    const session = world.host().createSession({ agent: "helper" });
    const turn = session.send("Hello");
    await world.clock.advance(0);

    await session.abort();
    const response = await turn.response;

    expect(response).toMatchObject({ status: "aborted", usage: million, cost: 2 });
    expect(session.totalCost).toBe(2);
    await expectTotals(world, session);
  });

  test("attempts that failed count as the last one does, and each is in the log with its price", async () => {
    const world = pricedWorld(
      [
        failAfter(usage(million), say("Wel"), "overloaded"),
        failAfter(usage(million), "rate_limit"),
        reply(say("Well"), usage(million)),
      ],
      { retry: { maxAttempts: 3 } },
    );
    const session = world.host().createSession({ agent: "helper" });

    const response = await world.clock.runUntil(session.send("Hello").response);

    expect(response).toMatchObject({ text: "Well", usage: { inputTokens: 3_000_000 }, cost: 6 });
    const ended = world.entries(session.id).filter(({ type }) => type === "attempt_ended");
    expect(ended).toMatchObject([
      { outcome: "discarded", cost: 2, priceId: "2026-11", model: "vendor/big" },
      { outcome: "discarded", cost: 2, priceId: "2026-11", model: "vendor/big" },
      { outcome: "completed", cost: 2, priceId: "2026-11", model: "vendor/big" },
    ]);
    await expectTotals(world, session);
  });

  test("what a provider did not report is unknown, not zero, and says how often it was", async () => {
    const world = pricedWorld(
      [failBefore("overloaded"), say("Well"), reply(say("Known"), usage(million))],
      {
        retry: { maxAttempts: 2 },
      },
    );
    const session = world.host().createSession({ agent: "helper" });

    const unknown = await world.clock.runUntil(session.send("Hello").response);
    const { totalCost } = session;
    const known = await session.send("Again").response;

    expect(unknown.usage).toEqual({ unreportedAttempts: 2 });
    expect(unknown).not.toHaveProperty("cost");
    expect(totalCost).toBeUndefined();
    expect(known.cost).toBe(2);
    expect(session.usage).toEqual({ ...million, unreportedAttempts: 2 });
    await expectTotals(world, session);
  });

  test("what a provider reported as zero costs zero", async () => {
    const world = pricedWorld([reply(say("Free"), usage({ inputTokens: 0, outputTokens: 0 }))]);
    const session = world.host().createSession({ agent: "helper" });

    const response = await session.send("Hello").response;

    expect(response).toMatchObject({ cost: 0, usage: { inputTokens: 0, outputTokens: 0 } });
    expect(session.totalCost).toBe(0);
  });

  test("a count that was reported in part has no cost, as nobody knows the rest", async () => {
    const world = pricedWorld([reply(usage({ inputTokens: 5 }), say("Half"), stall())]);
    const session = world.host().createSession({ agent: "helper" });
    const turn = session.send("Hello");
    await world.clock.advance(0);

    await session.abort();
    const response = await turn.response;

    expect(response.usage).toEqual({ inputTokens: 5 });
    expect(response.cost).toBeUndefined();
  });

  test.each<[what: string, price: ModelPrice, counts: Usage, cost: number]>([
    [
      "reads and writes at prices of their own",
      { ...price, cacheReadPerMillion: 0.5, cacheWritePerMillion: 4 },
      { ...million, cacheReadTokens: 600_000, cacheWriteTokens: 100_000 },
      0.3 * 2 + 0.6 * 0.5 + 0.1 * 4,
    ],
    [
      "reads and writes at the price of input, where they have none",
      price,
      { ...million, cacheReadTokens: 600_000, cacheWriteTokens: 100_000 },
      2,
    ],
    [
      "thinking as part of the output",
      price,
      { inputTokens: 0, outputTokens: 1_000_000, reasoningTokens: 900_000 },
      10,
    ],
  ])("tiers: %s", async (_, modelPrice, counts, cost) => {
    const world = pricedWorld([reply(say("Done"), usage(counts))], {}, modelPrice);
    const session = world.host().createSession({ agent: "helper" });

    const response = await session.send("Hello").response;

    expect(response.usage).toEqual(counts);
    expect(response.cost).toBeCloseTo(cost, 10);
    await expectTotals(world, session);
  });

  test("without includeCost nobody is told a cost: no response, no event, no entry", async () => {
    const world = pricedWorld(
      [reply(callTool("echo"), usage(million)), reply(say("Done"), usage(million))],
      {
        includeCost: false,
      },
    );
    const session = world.host().createSession({ agent: "helper" });
    const turn = session.send("Hello");

    const events: SessionEvent[] = await Array.fromAsync(turn);
    const response = await turn.response;

    expect(response.usage).toEqual({ inputTokens: 2_000_000, outputTokens: 0 });
    expect([...events, response, ...world.entries(session.id)]).not.toContainEqual(
      expect.objectContaining({ cost: expect.anything() }),
    );
    expect(session.totalCost).toBeUndefined();
  });

  test("a budget of cost turns it on, and ends the turn before the request that it does not cover", async () => {
    const world = pricedWorld([reply(callTool("echo"), usage(million)), say("Not asked for")], {
      includeCost: false,
      budgets: { cost: 2 },
    });
    const session = world.host().createSession({ agent: "helper" });

    const response = await session.send("Hello").response;

    expect(response).toMatchObject({ finishReason: "budget-exceeded", cost: 2 });
    await expectTotals(world, session);
  });

  const askResearcher = reply(callTool("researcher", { task: "Find it" }), usage(million));
  const answer = reply(say("Done"), usage(million));

  test.each<[what: string, script: readonly ScriptItem[]]>([
    ["that answers", [reply(say("Found"), usage(million))]],
    ["that fails", [failAfter(usage(million), say("Fou"), "overloaded")]],
  ])("what an agent %s has spent as a tool counts for who called it", async (_, script) => {
    const tools = [researcher(script, true)];
    const world = pricedWorld([askResearcher, answer], { tools });
    const session = world.host().createSession({ agent: "helper" });

    const response = await session.send("Hello").response;

    expect(response).toMatchObject({ usage: { inputTokens: 3_000_000 }, cost: 5 });
    expect(world.entries(session.id)).toContainEqual(
      expect.objectContaining({ type: "tool_result", usage: million, cost: 1 }),
    );
    await expectTotals(world, session);
  });

  test("the cost of an agent as a tool stays unknown where that agent does not tell it", async () => {
    const tools = [researcher([reply(say("Found"), usage(million))], false)];
    const world = pricedWorld([askResearcher, answer], { tools });
    const session = world.host().createSession({ agent: "helper" });

    const response = await session.send("Hello").response;

    expect(response).toMatchObject({ usage: { inputTokens: 3_000_000 }, cost: 4 });
    expect(world.entries(session.id)).not.toContainEqual(
      expect.objectContaining({ type: "tool_result", cost: expect.anything() }),
    );
    await expectTotals(world, session);
  });

  test("each model counts at its own price, which is recorded with it", async () => {
    const dear = {
      provider: scriptedProvider([answer]),
      id: "dear",
      price: { ...price, id: "2027-01", inputPerMillion: 7 },
    };
    const world = pricedWorld([answer, answer], { models: [dear] });
    const session = world.host().createSession({ agent: "helper" });

    await session.send("First").response;
    await session.send("Second", { model: dear }).response;
    await session.send("Third").response;

    expect(session.getUsage().byModel).toEqual([
      {
        model: "vendor/big",
        priceId: "2026-11",
        usage: { inputTokens: 2_000_000, outputTokens: 0 },
        cost: 4,
      },
      { model: "scripted/dear", priceId: "2027-01", usage: million, cost: 7 },
    ]);
    expect(session.totalCost).toBe(11);
    await expectTotals(world, session);
  });

  test("a turn that another process finishes costs what it has cost in both", async () => {
    const world = pricedWorld([reply(callTool("echo"), usage(million)), stall(), answer]);
    const process = mortal(world.repository);
    const host = world.host({ repository: process.repository });
    const session = host.createSession({ agent: "helper" });
    session.send("Hello", { id: "t1" });
    await world.clock.advance(0);
    process.die();

    const elsewhere = await world.host().open(session.id);
    await world.clock.advance(leaseMs + 2_000);

    const whole = { inputTokens: 2_000_000, outputTokens: 0, unreportedAttempts: 1 };
    expect(world.entries(session.id).at(-1)).toMatchObject({
      type: "turn_ended",
      usage: whole,
      cost: 4,
    });
    expect(elsewhere.getUsage()).toMatchObject({ total: whole, cost: 4 });
  });

  test("a budget counts along the turns that continue each other, in whichever host", async () => {
    const ask = reply(callTool("remote"), usage(million));
    const world = pricedWorld([ask, say("Not asked for")], {
      tools: [remoteTool()],
      budgets: { cost: 2 },
    });
    const session = world.host().createSession({ agent: "helper" });
    const { pendingToolCalls = [] } = await session.send("Hello").response;

    const elsewhere = await world.host().open(session.id);
    const toolCallId = pendingToolCalls[0]?.toolCallId ?? "";
    const { finishReason } = await elsewhere.send([{ toolCallId, output: "yes" }]).response;

    expect(finishReason).toBe("budget-exceeded");
    expect(elsewhere.totalCost).toBe(2);
  });

  test("a fork costs nothing for what it copied", async () => {
    const world = pricedWorld([answer, answer]);
    const session = world.host().createSession({ agent: "helper" });
    await session.send("Hello").response;

    const fork = await forkSession(session);
    const before = fork.getUsage();
    await fork.send("Go on").response;

    expect(before).toMatchObject({ total: {}, cost: undefined });
    expect([session.totalCost, fork.totalCost]).toEqual([2, 2]);
  });
});
