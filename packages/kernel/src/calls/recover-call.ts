/** Recovers a call that had started in a process that is gone: its tool's declared effect decides the outcome. */
import type { CallRun } from "./call-run.ts";
import type { Reconciliation, ToolResult, ToolReturn } from "../contracts/tool.ts";
import { ToolContext } from "./tool-context.ts";
import { errorResult, refusal, thrownResult } from "./tool-result.ts";
import { toToolResult } from "./tool-return.ts";
import type { TurnState } from "../turn/turn-state.ts";

/** Returns the result that settles the call, or "rerun" if a second run does no harm or the first had no effect. */
export async function recoverCall(
  turn: TurnState,
  run: CallRun,
  step: number,
): Promise<ToolResult | "rerun"> {
  const effect = run.tool?.effect;
  if (effect === "pure" || effect === "idempotent") return "rerun";
  const found = await reconcile(turn, run, step);
  if (found.outcome === "not-run") return "rerun";
  return found.outcome === "done" ? resultOf(found.output) : errorResult(refusal.unknownOutcome);
}

/** Reads each field once. An invalid outcome counts as unknown. */
function toReconciliation(found: Reconciliation): Reconciliation {
  const { outcome, output } = found as { readonly outcome: unknown; readonly output?: ToolReturn };
  if (outcome === "done") return { outcome, output };
  return { outcome: outcome === "not-run" ? outcome : "unknown" };
}

function resultOf(output: ToolReturn): ToolResult {
  try {
    return toToolResult(output);
  } catch (thrown) {
    return thrownResult(thrown);
  }
}

async function reconcile(turn: TurnState, run: CallRun, step: number): Promise<Reconciliation> {
  const { tool, key } = run;
  const unknown: Reconciliation = { outcome: "unknown" };
  if (tool?.reconcile === undefined || key === undefined) return unknown;
  const context = new ToolContext(turn, run, step);
  try {
    const found = await turn.callbacks.call(
      `reconcile of "${tool.name}"`,
      () => tool.reconcile?.(key, context) ?? unknown,
    );
    return toReconciliation(found);
  } catch {
    // The tool cannot tell either: the model must learn that the outcome is unknown.
    return unknown;
  } finally {
    context.close();
  }
}
