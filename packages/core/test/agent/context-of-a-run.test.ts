/** An agent without a session manages its context as a session does: ephemeral outputs, long outputs, compaction. */
import { createAgent, defineTool } from "@capstan/core";
import type { ChatMessage } from "@capstan/kernel";
import { callTool, reply, say, scriptedProvider, usage } from "@capstan/testing";
import type { ScriptItem } from "@capstan/testing";
import { expect, test } from "vitest";

const look = (chars: number, ephemeral?: number) =>
  defineTool({
    name: "look",
    description: "Looks around",
    input: { type: "object" },
    effect: "pure",
    ...(ephemeral !== undefined && { ephemeral }),
    execute: () => "x".repeat(chars),
  });

const steps = (count: number): ScriptItem[] => [
  ...Array.from({ length: count }, () => callTool("look")),
  say("Done"),
];

function completeOutputs(messages: readonly ChatMessage[] = []): number {
  const outputs = messages.filter(({ role }) => role === "tool");
  return outputs.filter((message) => !JSON.stringify(message).includes("left out")).length;
}

test("an ephemeral tool keeps only its newest output", async () => {
  const model = scriptedProvider(steps(4));
  const agent = createAgent({ model, tools: [look(10, 1)] });

  await agent.run("Look");

  expect(model.requests.map(({ messages }) => completeOutputs(messages))).toEqual([0, 1, 1, 1, 1]);
});

test("a long output is shortened, and the model can read the rest", async () => {
  const model = scriptedProvider([
    callTool("look"),
    callTool("read_output", { reference: "t_1_0" }),
    say("Done"),
  ]);
  const agent = createAgent({ model, tools: [look(1_000)], outputs: { maxChars: 100 } });

  const { messages } = await agent.runTurn({ id: "t", input: "Look" }).response;

  const outputs = messages.filter(({ role }) => role === "tool");
  expect(JSON.stringify(outputs[0]).length).toBeLessThan(600);
  expect(outputs[1]).toMatchObject({ isError: false, content: expect.stringContaining("xxx") });
});

test("a context that is too full is compacted in the middle of the turn", async () => {
  const model = scriptedProvider(
    [
      reply(callTool("look"), usage({ inputTokens: 9_000, outputTokens: 10 })),
      say("[summary] Looked once."),
      say("Done"),
    ],
    { contextWindow: 10_000 },
  );
  const agent = createAgent({ model, tools: [look(3_000)] });
  const told = "word ".repeat(4_000);

  const { text } = await agent.runTurn({ input: "Look" }, [
    { role: "user", content: told },
    { role: "assistant", content: [{ type: "text", text: "Yes" }], stopReason: "stop" },
  ]).response;

  expect(text).toBe("Done");
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("[summary] Looked once.");
  expect(JSON.stringify(model.requests.at(-1)?.messages)).not.toContain(told);
});
