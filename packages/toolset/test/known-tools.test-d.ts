import { createAgent, defineTool } from "@capstan/core";
import { scriptedProvider } from "@capstan/testing";
import { createToolset, lsTool } from "@capstan/toolset";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";

const model = scriptedProvider([]);
const refund = defineTool({
  name: "refund",
  description: "Refunds",
  input: z.object({ amount: z.number() }),
});

test("an agent with the toolset still knows the names and inputs of its own tools", async () => {
  const agent = createAgent({ model, tools: [refund, ...createToolset()] });

  for await (const event of agent.runStream("Hello")) {
    if (event.type !== "tool_execution_start") continue;
    if (event.toolName === "refund") expectTypeOf(event.input).toEqualTypeOf<{ amount: number }>();
    if (event.toolName === "bash_output") continue;
    // @ts-expect-error -- there is no such tool
    if (event.toolName === "refnud") continue;
  }
  expectTypeOf(lsTool().name).toEqualTypeOf<"ls">();
});
