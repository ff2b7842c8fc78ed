/** Tools of every behaviour, which tell when they really run. */
import type {
  JsonValue,
  ToolContract,
  ToolExecuteContext,
  ToolExecutionEvent,
  ToolYield,
  ToolReturn,
} from "@capstan/kernel";
import { deferredTool, remoteTool } from "@capstan/testing";
import type { DeferredTool } from "@capstan/testing";

export const toolNames = [
  "echo",
  "pure",
  "fail",
  "reject",
  "dirty",
  "silent",
  "later",
  "slow",
  "stream",
  "broken-stream",
  "endless-stream",
  "alone",
  "remote",
  "guarded",
  "asking",
  "checked",
  "remote-guarded",
  "spending",
  "last",
] as const;

type Execute = (
  input: JsonValue,
  context: ToolExecuteContext,
) => ToolReturn | Promise<ToolReturn> | AsyncIterable<ToolYield>;

export interface AnyTools {
  readonly all: readonly ToolContract[];
  /** Its calls end when the test says so. */
  readonly later: DeferredTool;
}

/** Callbacks of a tool besides `execute`. */
export type ToolCallbacks = Partial<Pick<ToolContract, "parseInput" | "reconcile">> & {
  readonly needsApproval?: (input: JsonValue) => boolean | Promise<boolean>;
};

/** `onRun` is told of each execution, before anything else happens in it. */
export function everyTool(
  onRun: (context: ToolExecuteContext, tool: ToolContract) => void,
  { parseInput, needsApproval = isOne, reconcile }: ToolCallbacks,
): AnyTools {
  const checking = parseInput === undefined ? {} : { parseInput };
  const tool = (name: string, execute: Execute, more: Partial<ToolContract> = {}): ToolContract => {
    return {
      name,
      description: name,
      inputSchema: { type: "object" },
      ...checking,
      ...more,
      execute(input: JsonValue, context) {
        onRun(context, this);
        return execute(input, context);
      },
    };
  };
  const later = deferredTool({ name: "later" });
  const slow = deferredTool({ name: "slow" });
  const observed = (deferred: ToolContract, more: Partial<ToolContract>): ToolContract =>
    tool(deferred.name, (input, context) => deferred.execute?.(input as never, context), more);

  const all = [
    tool("echo", echo),
    tool("pure", async (input) => JSON.stringify(input), { effect: "pure" }),
    tool("fail", () => {
      throw new Error("it failed");
    }),
    tool("reject", () => Promise.reject(new Error("")), { effect: "idempotent" }),
    tool("dirty", () => ({ big: 1n })),
    tool("silent", () => undefined),
    observed(later, {}),
    observed(slow, { timeoutMs: 500, effect: "pure" }),
    tool(
      "stream",
      streamOf([
        { type: "delta", delta: "a" },
        { type: "complete", output: "abc" },
      ]),
    ),
    tool("broken-stream", streamOf([{ type: "delta", delta: "a" }], failing)),
    tool("endless-stream", streamOf([{ type: "delta", delta: "a" }], never), { timeoutMs: 300 }),
    tool("alone", async () => "alone", { execution: "sequential" }),
    remoteTool({ ...checking, answerWithinMs: 1_000 }),
    tool("guarded", echo, { needsApproval: true }),
    tool("asking", echo, { needsApproval }),
    tool("checked", echo, reconcile === undefined ? {} : { reconcile }),
    remoteTool({ name: "remote-guarded", needsApproval }),
    tool("spending", async (_, context) => {
      context.usage({ outputTokens: 7 });
      context.update("spent");
      return { ok: true, outputMessage: "spent", details: { seven: 7 } };
    }),
    tool("last", echo, { isTerminal: true }),
  ];
  return { all, later };
}

const echo: Execute = (input) => JSON.stringify(input);

function isOne(input: JsonValue): boolean {
  return JSON.stringify(input) === '{"n":1}';
}

function failing(): Promise<never> {
  return Promise.reject(new Error("the stream broke"));
}

function never(): Promise<never> {
  return new Promise(() => {});
}

function streamOf(
  events: readonly ToolExecutionEvent[],
  end: () => Promise<void> = () => Promise.resolve(),
): Execute {
  return async function* () {
    yield* events;
    await end();
  };
}
