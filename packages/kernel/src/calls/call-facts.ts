/** Facts recorded about a tool call. */
import type { CallRun } from "./call-run.ts";
import type { Fact } from "../contracts/journal.ts";
import type { ToolResult } from "../contracts/tool.ts";
import type { Draft } from "../effects/draft.ts";

type FactOf<Type extends Fact["type"]> = Extract<Fact, { readonly type: Type }>;

/** Fact to record before the call starts. */
export function intentFact(run: CallRun, step: number, key: string): Fact {
  const fact: Draft<FactOf<"tool_intent">> = {
    type: "tool_intent",
    step,
    toolCallId: run.call.id,
    key,
  };
  if (run.input !== run.call.input) fact.input = run.input;
  return fact;
}

/** Fact to record once the call has its result. */
export function resultFact(
  run: CallRun,
  step: number,
  result: ToolResult,
  durationMs: number | undefined,
): Fact {
  const fact: Draft<FactOf<"tool_result">> = {
    type: "tool_result",
    step,
    toolCallId: run.call.id,
    toolName: run.toolName,
    result,
  };
  if (durationMs !== undefined) fact.durationMs = durationMs;
  if (run.usage !== undefined) fact.usage = run.usage;
  if (run.cost !== undefined) fact.cost = run.cost;
  return fact;
}

export type SuspendedFact = FactOf<"suspended">;

/** Fact to record when the call suspends itself. */
export function suspendedFact(
  run: CallRun,
  step: number,
  suspension: Pick<SuspendedFact, "pending" | "state" | "wakeAt" | "reports" | "isNested">,
): SuspendedFact {
  return {
    type: "suspended",
    step,
    toolCallId: run.call.id,
    ...suspension,
    ...(run.input !== run.call.input && { input: run.input }),
    ...(run.usage !== undefined && { usage: run.usage }),
    ...(run.cost !== undefined && { cost: run.cost }),
  };
}

/** Position of a call that a tool makes itself. */
interface NestedPlace {
  /** Id of the model's call. */
  readonly within: string;
  readonly step: number;
  readonly hash: string;
}

export function nestedIntentFact(
  { call: { id: toolCallId }, toolName, input }: CallRun,
  { within, step, hash }: NestedPlace,
  key: string,
): Fact {
  return { type: "nested_intent", step, within, toolCallId, toolName, input, hash, key };
}

export function nestedResultFact(
  { call: { id: toolCallId }, toolName, input, usage, cost }: CallRun,
  { within, step, hash }: NestedPlace,
  result: ToolResult,
  { isNoted, durationMs }: { readonly isNoted: boolean; readonly durationMs: number | undefined },
): Fact {
  return {
    type: "nested_result",
    step,
    within,
    toolCallId,
    toolName,
    ...(!isNoted && { input }),
    hash,
    result,
    ...(durationMs !== undefined && { durationMs }),
    ...(usage !== undefined && { usage }),
    ...(cost !== undefined && { cost }),
  };
}
