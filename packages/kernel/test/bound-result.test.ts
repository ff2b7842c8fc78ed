import type { LoopContext, RunTurnInput, ToolResult } from "@capstan/kernel";
import { callTool, echoTool, remoteTool, runToEnd, say, scriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";

const kept = { blob: "b", mediaType: "text/plain", chars: 90_000 } as const;
const short = (result: ToolResult): ToolResult => ({ ...result, output: "short", kept });

const play = (boundResult: LoopContext["boundResult"], rest: Partial<RunTurnInput> = {}) => {
  const provider = scriptedProvider([callTool("echo", { n: 1 }), say("Done")]);
  return runToEnd({ provider, tools: [echoTool()], context: { boundResult }, ...rest });
};

test.each([
  ["at once", (_: unknown, result: ToolResult) => short(result)],
  ["later", async (_: unknown, result: ToolResult) => short(result)],
])("what boundResult gives, %s, is what is recorded, shown and sent", async (_, boundResult) => {
  const facts: unknown[] = [];

  const turn = await play(boundResult, { journal: { record: (all) => void facts.push(...all) } });

  expect(facts).toContainEqual(
    expect.objectContaining({ type: "tool_result", result: expect.objectContaining({ kept }) }),
  );
  expect(turn.recorder.ofType("tool_execution_end")).toMatchObject([{ output: "short" }]);
  expect(turn.messages[1]).toMatchObject({ role: "tool", content: "short", kept });
});

test("it gets what the after hook has made of a result, and for which call", async () => {
  const seen: unknown[] = [];

  await play(
    (call, result) => {
      seen.push([call.name, result.output]);
      return result;
    },
    { dispatch: { after: async () => ({ isError: false, output: "hooked" }) } },
  );

  expect(seen).toEqual([["echo", "hooked"]]);
});

test("it gets answers from outside, which cannot state themselves what blob they are kept in", async () => {
  const provider = scriptedProvider([say("Done")]);
  const call = { type: "tool_call", id: "c", name: "remote", input: {} } as const;
  const answer = { isError: false, output: "long", kept };

  const turn = await runToEnd({
    provider,
    tools: [remoteTool()],
    messages: [
      { role: "user", id: "u", content: "Hi" },
      { role: "assistant", id: "a", content: [call], stopReason: "tool-calls" },
    ],
    journal: { open: [{ toolCallId: "c", state: "settled", result: answer }] },
    context: { boundResult: (_, result) => ({ ...result, output: `${JSON.stringify(result)}!` }) },
  });

  expect(turn.messages[0]).toMatchObject({ content: '{"isError":false,"output":"long"}!' });
});

test.each([
  [
    "throws",
    () => {
      throw new Error("full");
    },
  ],
  ["rejects", async () => Promise.reject(new Error("full"))],
])("one that %s leaves the result as it is", async (_, boundResult) => {
  const turn = await play(boundResult);

  expect(turn.messages[1]).toMatchObject({ content: '{"n":1}', isError: false });
});
