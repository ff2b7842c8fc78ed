/** Usage, cost and budgets are those of the model that answered. */
import { createAgent, createSession } from "@capstan/core";
import type { Model } from "@capstan/core";
import {
  callTool,
  echoTool,
  failAfter,
  failBefore,
  reply,
  say,
  scriptedProvider,
  usage,
} from "@capstan/testing";
import type { ScriptItem } from "@capstan/testing";
import { anthropicEmulator, openAiResponsesEmulator, overload } from "@capstan/testing/emulators";
import { expect, test } from "vitest";
import { anthropic } from "../src/anthropic.ts";
import { openai } from "../src/openai.ts";
import { withFallback } from "../src/with-fallback.ts";

const million = usage({ inputTokens: 1_000_000, outputTokens: 0 });

function priced(id: string, inputPerMillion: number, ...script: readonly ScriptItem[]): Model {
  return {
    provider: scriptedProvider(script, { id: `vendor-of-${id}` }),
    id,
    facts: { contextWindow: 2_000_000 },
    price: { id: `price-of-${id}`, inputPerMillion, outputPerMillion: 0 },
  };
}

test("a fallback is billed as the model that answered", async () => {
  await using first = await anthropicEmulator([overload()]);
  await using second = await openAiResponsesEmulator([reply(say("Hello"), million)]);
  const opus = anthropic("claude-opus-5", { baseUrl: first.url, apiKey: "a" });
  const mini = openai("gpt-5-mini", { baseUrl: second.url, apiKey: "b" });
  const agent = createAgent({ model: withFallback([opus, mini]), includeCost: true });
  const session = createSession({ agent });

  const { cost } = await session.send("Hi").response;

  const { byModel } = session.getUsage();
  expect(cost).toBeCloseTo(0.25);
  expect(byModel.map(({ model }) => model)).toEqual([
    "anthropic/claude-opus-5",
    "openai/gpt-5-mini",
  ]);
  expect(byModel[1]).toMatchObject({ usage: { inputTokens: 1_000_000 } });
});

test("what a failed attempt used is the failed model's", async () => {
  const cheap = priced("cheap", 1, failAfter(reply(million, say("He")), "network"));
  const dear = priced("dear", 10, reply(say("Hello"), million));
  const agent = createAgent({ model: withFallback([cheap, dear]), includeCost: true });
  const session = createSession({ agent });

  const { cost } = await session.send("Hi").response;

  expect(cost).toBe(11);
  expect(session.getUsage().byModel).toMatchObject([
    { model: "vendor-of-cheap/cheap", priceId: "price-of-cheap", cost: 1 },
    { model: "vendor-of-dear/dear", priceId: "price-of-dear", cost: 10 },
  ]);
});

test("a message is shown with the price of the model that wrote it", async () => {
  const cheap = priced("cheap", 1, failBefore("overloaded"));
  const dear = priced("dear", 10, reply(say("Hello"), million));
  const agent = createAgent({ model: withFallback([cheap, dear]), includeCost: true });
  const costs: (number | undefined)[] = [];

  for await (const event of createSession({ agent }).send("Hi")) {
    if (event.type === "message_end" && event.message.role === "assistant") costs.push(event.cost);
  }

  expect(costs).toEqual([10]);
});

test("a budget counts the price of the model that answered", async () => {
  const cheap = priced("cheap", 1, failBefore("overloaded"));
  const dear = priced("dear", 10, reply(million, callTool("echo")), say("Too much"));
  const agent = createAgent({
    model: withFallback([cheap, dear]),
    tools: [echoTool()],
    budgets: { cost: 5 },
    closing: false,
  });

  const { finishReason, cost } = await agent.runTurn({ input: "Hi" }).response;

  expect(finishReason).toBe("budget-exceeded");
  expect(cost).toBe(10);
});

test("each model is told its own facts", async () => {
  const first = priced("a", 1, failBefore("overloaded"));
  const second: Model = { ...priced("b", 1, say("Hello")), facts: { contextWindow: 64_000 } };
  const agent = createAgent({ model: withFallback([first, second]) });

  await agent.run("Hi");

  const { requests } = second.provider as ReturnType<typeof scriptedProvider>;
  expect(requests[0]?.options.modelFacts).toEqual({ contextWindow: 64_000 });
});
