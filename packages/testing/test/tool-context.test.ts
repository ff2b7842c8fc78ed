import { defineTool, ok } from "@capstan/core";
import { toolContext } from "@capstan/testing";
import { expect, test } from "vitest";
import { z } from "zod";

const refund = defineTool({
  name: "refund",
  description: "Refunds",
  input: z.object({ amount: z.number() }),
  async execute({ amount }, context) {
    context.update("Refunding");
    return ok(`Refunded ${amount}`, { key: context.idempotencyKey, session: context.session.id });
  },
});

test("a test calls a tool directly, without a cast, and reads what it returns", async () => {
  const { outputMessage, details } = await refund.execute({ amount: 5 }, toolContext());

  expect(outputMessage).toBe("Refunded 5");
  expect(details?.session).toBe("conversation-1");
});

test("a test says what matters of the context; two contexts share nothing", async () => {
  const shown: string[] = [];
  const context = toolContext({ idempotencyKey: "once", update: (text) => shown.push(text) });

  const { details } = await refund.execute({ amount: 5 }, context);

  expect([details?.key, shown]).toEqual(["once", ["Refunding"]]);
  expect(toolContext().signal).not.toBe(toolContext().signal);
});
