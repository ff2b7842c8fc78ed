import { bindTools, createScope, defineTool, dependency, guardTool } from "@capstan/core";
import { callTool, remoteTool, reply, runToEnd, say, scriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";
import { z } from "zod";

const Prefix = dependency("prefix", () => "ran ");
const run = defineTool({
  name: "run",
  description: "Runs nothing",
  input: z.object({ command: z.string() }),
  execute: async ({ command }, { get }) => (await get(Prefix)) + command,
});
const calls = reply(callTool("run", { command: "ls" }), callTool("run", { command: "rm" }));

test("a guarded tool refuses what its check refuses, and runs the rest with its dependencies", async () => {
  const checked: unknown[] = [];
  const guarded = guardTool(run, (input, sessionId) => {
    checked.push([input, typeof sessionId]);
    return JSON.stringify(input).includes("rm") ? "Not this one." : undefined;
  });

  const turn = await runToEnd({
    provider: scriptedProvider([calls, say("Done")]),
    tools: bindTools([guarded], createScope()),
  });

  expect(turn.messages.slice(1, 3)).toMatchObject([
    { content: "ran ls", isError: false },
    { content: "Not this one.", isError: true },
  ]);
  expect(checked).toEqual([
    [{ command: "ls" }, "string"],
    [{ command: "rm" }, "string"],
  ]);
});

test("a tool that is a plain contract is guarded, too, and a client-side tool stays as it is", async () => {
  const plain = {
    name: "run",
    description: "Runs nothing",
    inputSchema: { type: "object" },
    execute: () => "ran",
  };
  const remote = remoteTool({ name: "pick" });

  const turn = await runToEnd({
    provider: scriptedProvider([callTool("run", { command: "rm" }), say("Done")]),
    tools: [guardTool(plain, () => "Never.")],
  });

  expect(turn.messages[1]).toMatchObject({ content: "Never.", isError: true });
  expect(guardTool(remote, () => "Never.")).toBe(remote);
});
