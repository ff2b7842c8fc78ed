/** Problems of an input, as the model is told them. */
import { callTool, echoTool, runToEnd, say, scriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";
import { resultsOf } from "./unfinished-step.ts";

test("of many problems the model is told the first ten and how many there are, each in short", async () => {
  const issues = Array.from({ length: 3_000 }, (_, n) => ({
    path: ["list", n],
    message: "x".repeat(20_000),
  }));
  const tool = echoTool({ parseInput: () => ({ issues }) });
  const provider = scriptedProvider([callTool("echo"), say("Oh")]);

  const turn = await runToEnd({ provider, tools: [tool] });

  const [told = ""] = resultsOf(turn).map(String);

  expect(told).toMatch(/^Not run: invalid input for "echo"\. list\.0: x+…; list\.1: /);
  expect(told).toMatch(/list\.9: x+…; and 2990 more$/);
  expect(told.length).toBeLessThan(11_000);
});
