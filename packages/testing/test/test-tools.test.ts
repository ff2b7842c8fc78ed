import type { ToolContract, ToolExecuteContext } from "@capstan/kernel";
import { deferredTool, echoTool, failingTool, remoteTool, toolContext } from "@capstan/testing";
import { expect, test } from "vitest";

function contextOf(toolCallId: string, signal = new AbortController().signal): ToolExecuteContext {
  return toolContext({ toolCallId, signal });
}

/** Same as the kernel: the input is the result of the tool's own parser. */
function execute(tool: ToolContract, input: unknown, context: ToolExecuteContext): unknown {
  return tool.execute?.(input as never, context);
}

test("echo answers with its input and keeps the call", () => {
  const echo = echoTool({ effect: "pure", execution: "sequential" });

  const output = execute(echo, { x: 1 }, contextOf("k1"));

  expect(output).toBe('{"x":1}');
  expect(echo.started.map(({ toolCallId, input }) => [toolCallId, input])).toEqual([
    ["k1", { x: 1 }],
  ]);
  expect(echo).toMatchObject({ name: "echo", effect: "pure", execution: "sequential" });
});

test("a failing tool throws the error it was given", () => {
  const tool = failingTool({ name: "broken", error: new Error("disk full") });

  const run = (): unknown => execute(tool, {}, contextOf("k1"));

  expect(run).toThrow("disk full");
  expect(tool.name).toBe("broken");
  expect(tool.started).toHaveLength(1);
});

test("a remote tool has nothing to execute", () => {
  const tool = remoteTool({ name: "pick_file" });

  expect(tool.execute).toBeUndefined();
  expect(tool.name).toBe("pick_file");
});

test("deferred calls settle one by one, in the order that the test wants", async () => {
  const tool = deferredTool();
  const first = execute(tool, {}, contextOf("k1"));
  const second = execute(tool, {}, contextOf("k2"));

  tool.resolve("k2", "two");
  tool.reject("k1", new Error("one failed"));

  await expect(second).resolves.toBe("two");
  await expect(first).rejects.toThrow("one failed");
});

test("a test can wait until a deferred tool was called", async () => {
  const tool = deferredTool();
  const both = tool.whenStarted(2);
  execute(tool, { n: 1 }, contextOf("k1"));
  execute(tool, { n: 2 }, contextOf("k2"));

  const started = await both;
  const early = await tool.whenStarted();

  expect(started.map((call) => call.toolCallId)).toEqual(["k1", "k2"]);
  expect(early.map((call) => call.toolCallId)).toEqual(["k1"]);
});

test("settling a call that is not open says which ones are", () => {
  const tool = deferredTool();
  execute(tool, {}, contextOf("k1"));

  const settle = (): void => tool.resolve("k9", "x");

  expect(settle).toThrow('No open call "k9" of deferred: open calls are k1');
});

test("an abort is recorded, and settles a call only where that was asked for", async () => {
  const patient = deferredTool();
  const obedient = deferredTool({ settlesOnAbort: true });
  const controller = new AbortController();
  const unsettled = execute(patient, {}, contextOf("k1", controller.signal));
  const settled = execute(obedient, {}, contextOf("k2", controller.signal));

  controller.abort();
  patient.resolve("k1", "late");

  await expect(settled).rejects.toThrow("aborted");
  await expect(unsettled).resolves.toBe("late");
  expect([...patient.aborted, ...obedient.aborted]).toEqual(["k1", "k2"]);
});

test("a deferred call that starts under a fired signal counts as aborted", async () => {
  const tool = deferredTool({ settlesOnAbort: true });

  const settled = execute(tool, {}, contextOf("k1", AbortSignal.abort()));

  await expect(settled).rejects.toThrow("aborted");
  expect(tool.aborted).toEqual(["k1"]);
});
