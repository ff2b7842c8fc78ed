import { defineTool } from "@capstan/core";
import { manualClock } from "@capstan/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { runTool } from "./run-tool.ts";

const base = { name: "weather", description: "Weather of a city" } as const;
const city = z.object({ city: z.string() });

test("the context tells which call it is, and counts what the tool spent", async () => {
  const seen: unknown[] = [];
  const tool = defineTool({
    ...base,
    input: city,
    execute(_, context) {
      const { toolCallId, sessionId, turnId, step, cwd, idempotencyKey } = context;
      seen.push({ toolCallId, sessionId, turnId, step, cwd });
      context.usage({ inputTokens: 5 });
      return idempotencyKey;
    },
  });

  const turn = await runTool(tool, { city: "Oslo" }, { cwd: "/work" });

  const [call] = turn.recorder.ofType("tool_execution_start");
  const ids = { toolCallId: call?.toolCallId, sessionId: "c1", turnId: "t1" };
  expect(seen).toEqual([{ ...ids, step: 1, cwd: "/work" }]);
  expect(turn.messages[1]).toMatchObject({ content: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(turn.usage.inputTokens).toBe(5);
});

test("the functions of the context work on their own", async () => {
  const tool = defineTool({
    ...base,
    input: city,
    execute(_, { update, usage, signal }) {
      update("half");
      usage({ outputTokens: 2 });
      return String(signal.aborted);
    },
  });

  const turn = await runTool(tool);

  expect(turn.messages[1]).toMatchObject({ content: "false", isError: false });
  expect(turn.recorder.ofType("tool_execution_delta")).toMatchObject([{ delta: "half" }]);
  expect(turn.usage.outputTokens).toBe(2);
});

test("a tool with a timeout is told to stop", async () => {
  const clock = manualClock();
  let signal: AbortSignal | undefined;
  const tool = defineTool({
    ...base,
    input: city,
    timeoutMs: 100,
    execute: (_, context) => {
      ({ signal } = context);
      return new Promise<string>(() => {});
    },
  });

  const turn = await clock.runUntil(
    runTool(tool, { city: "Oslo" }, { clock: { timer: clock.timer } }),
  );

  expect(signal?.aborted).toBe(true);
  expect(turn.messages[1]).toMatchObject({ isError: true });
});
