/** Last check of a result before the journal, the readers and the model see it: the `after` hook, its media, its length. */
import { admitMedia } from "./admit-media.ts";
import type { CallRun } from "./call-run.ts";
import { isAbortedCallback, wrongValue } from "../effects/callbacks.ts";
import { isPromise } from "../effects/is-promise.ts";
import type { ToolResult } from "../contracts/tool.ts";
import { serializeError } from "../errors/errors.ts";
import { errorResult, interruptedResult } from "./tool-result.ts";
import { cleanResult } from "./tool-return.ts";
import type { TurnState } from "../turn/turn-state.ts";

/** Returns the result to continue with. Never fails: if a hook fails, the tool's output is withheld. */
export function reviewResult(
  turn: TurnState,
  run: CallRun,
  step: number,
  result: ToolResult,
): ToolResult | Promise<ToolResult> {
  const reviewed = askHook(turn, run, step, result);
  if (turn.context.boundResult === undefined) return reviewed;
  // `askHook` returns a promise only if a hook did, and that promise never rejects.
  return isPromise(reviewed)
    ? reviewed.then((value) => bound(turn, run, value))
    : bound(turn, run, reviewed);
}

function askHook(
  turn: TurnState,
  run: CallRun,
  step: number,
  result: ToolResult,
): ToolResult | Promise<ToolResult> {
  const { dispatch } = turn.input;
  if (dispatch.after === undefined) return admitMedia(turn.context, result);
  const call = { toolCallId: run.call.id, toolName: run.toolName, input: run.input, step };
  try {
    const reviewed = turn.callbacks.call("the after hook", () => dispatch.after?.(call, result));
    const take = (value: ToolResult | void): ToolResult => {
      if (value === undefined || value === null) return admitMedia(turn.context, result);
      if (typeof value !== "object") throw wrongValue("the after hook", value, "a result");
      return admitMedia(turn.context, cleanResult(value));
    };
    return isPromise(reviewed) ? reviewed.then(take).catch(withheld) : take(reviewed);
  } catch (thrown) {
    return withheld(thrown);
  }

  function withheld(thrown: unknown): ToolResult {
    if (isAbortedCallback(thrown)) return interruptedResult(run.tool, turn.abort);
    return errorResult(`The result is withheld: ${serializeError(thrown).message}`);
  }
}

/** An abort does not interrupt this: something is being stored. */
function bound(
  turn: TurnState,
  run: CallRun,
  result: ToolResult,
): ToolResult | Promise<ToolResult> {
  const { boundResult } = turn.context;
  if (boundResult === undefined) return result;
  const asItIs = (thrown: unknown): ToolResult => {
    turn.log("warn", serializeError(thrown).message);
    return result;
  };
  try {
    const bounded = turn.callbacks.callToEnd("boundResult", () => boundResult(run.call, result));
    const take = (value: ToolResult): ToolResult => {
      if (isResult(value)) return value;
      throw wrongValue("boundResult", value, "a result");
    };
    return isPromise(bounded) ? bounded.then(take).catch(asItIs) : take(bounded);
  } catch (thrown) {
    return asItIs(thrown);
  }
}

function isResult(value: unknown): value is ToolResult {
  if (typeof value !== "object" || value === null) return false;
  const { isError, output } = value as Partial<ToolResult>;
  return typeof isError === "boolean" && (typeof output === "string" || Array.isArray(output));
}
