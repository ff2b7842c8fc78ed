/** Tests of one's own agent, with vitest. */
import { createAgent, createSession, defineTool, dependency, override } from "@capstan/core";
import { callTool, say, scriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";
import { z } from "zod";

// The agent, as the product has it.
interface Shop {
  refund(order: string): Promise<string>;
}
const ShopApi = dependency("shop", (): Shop => {
  throw new Error("The shop must not be called by a test");
});
const refund = defineTool({
  name: "refund",
  description: "Refunds an order",
  input: z.object({ order: z.string() }),
  execute: async ({ order }, { get }) => (await get(ShopApi)).refund(order),
});
const clerk = createAgent({
  name: "clerk",
  model: scriptedProvider([]), // in the product: anthropic("claude-opus-5")
  tools: [refund],
  instructions: "You are the clerk of a shop.",
});

test("the clerk refunds the order that the customer names", async () => {
  const refunded: string[] = [];
  const shop: Shop = {
    refund: async (order) => {
      refunded.push(order);
      return "Refunded.";
    },
  };
  const model = scriptedProvider([callTool("refund", { order: "A-17" }), say("It is on its way.")]);
  const agent = clerk.with({ model, dependencies: [override(ShopApi, () => shop)] });

  const answer = await createSession({ agent }).run("My order A-17 broke");

  expect(answer).toBe("It is on its way.");
  expect(refunded).toEqual(["A-17"]);
  expect(model.requests).toHaveLength(2);
  expect(model.requests[0]?.options.systemPrompt).toContain("the clerk of a shop");
  expect(model.requests[0]?.tools).toContain("refund");
  expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: "tool", content: "Refunded." });
  model.assertComplete();
});

test("the clerk tells the model which field of an order is wrong", async () => {
  const model = scriptedProvider([callTool("refund", { order: 17 }), say("Which order?")]);

  await clerk.with({ model }).run("My order broke");

  expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain("order");
});
