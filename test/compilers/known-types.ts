/** Types that every supported compiler infers alike. Compiled by each, as a user compiles it. */
import type { SessionEvent } from "@capstan/core";
import {
  createAgent,
  createHost,
  createSession,
  defineTool,
  memoryRepository,
  ok,
} from "@capstan/core";
import { scriptedProvider } from "@capstan/testing";
import { z } from "zod";

declare function show(event: SessionEvent): void;
declare function takeNumber(value: number): void;
declare function takeText(value: string | undefined): void;

const refund = defineTool({
  name: "refund",
  description: "Refunds",
  input: z.object({ amount: z.number(), note: z.string().optional() }),
  execute: ({ amount }) => ok("done", { amount }),
});
const agent = createAgent({
  name: "support",
  model: scriptedProvider([]),
  tools: [refund],
  output: z.object({ city: z.string() }),
});
const host = createHost({ agents: [agent], repository: memoryRepository() });

const turn = createSession({ agent }).send("Hello");
for await (const event of turn) {
  show(event);
  if (event.type !== "tool_execution_start") continue;
  if (event.toolName === "refund") takeNumber(event.input.amount);
  // @ts-expect-error -- there is no such tool
  if (event.toolName === "refnud") break;
}
for await (const partial of turn.partialOutput) takeText(partial.city);

const session = host.createSession({ agent: "support" });
takeText((await session.run("Hello")).city);
// @ts-expect-error -- there is no such agent
host.createSession({ agent: "suport" });
takeNumber(refund.execute({ amount: 1 }, {} as never).details?.amount ?? 0);
// @ts-expect-error -- a list of fields is no schema
defineTool({ name: "odd", description: "Odd", input: { city: z.string() } });
