/** One pending call of a client-side tool: claimed, run and answered by one client. */
import type { PendingCall, ToolContract } from "@capstan/kernel";
import { background } from "@capstan/kernel";
import { isRefusal } from "../errors/client-error.ts";
import { longestTimerMs, pause } from "../stream/pause.ts";
import type { CallOwner, LentCallOptions } from "./lent-calls.ts";
import { runTool, unknownOutcome } from "./run-tool.ts";

export interface CallRun extends Omit<LentCallOptions, "tools"> {
  readonly owner: CallOwner;
  /** Fires when the answer is no longer needed here. */
  readonly signal: AbortSignal;
}

/** Resolves once the call is answered, or no longer pending. */
export async function runCall(call: PendingCall, tool: ToolContract, run: CallRun): Promise<void> {
  const { client, takeOverMs, claimMs, owner, signal } = run;
  const { toolCallId } = call;
  if (call.lentBy !== client) await pause(takeOverMs, signal);
  if (!(await claim(toolCallId, run))) return;
  const renewals = setInterval(
    () => {
      // A failure only lets other clients claim the call. The first answer counts, from any client.
      background(owner.claim(toolCallId, claimMs, signal), () => {});
    },
    Math.min(claimMs / 2, longestTimerMs),
  );
  try {
    const isRepeatable = tool.effect === "pure" || tool.effect === "idempotent";
    const mayRun = isRepeatable || !(await owner.wasClaimedElsewhere(toolCallId));
    if (signal.aborted) return;
    const answer = mayRun
      ? await runTool(tool, call, owner.origin, signal)
      : unknownOutcome(toolCallId);
    if (!signal.aborted) await owner.answer(answer);
  } catch (thrown) {
    if (!isRefusal(thrown, ...overCodes)) throw thrown;
  } finally {
    clearInterval(renewals);
  }
}

/** False if the call is no longer pending. */
async function claim(toolCallId: string, { claimMs, owner, signal }: CallRun): Promise<boolean> {
  while (!signal.aborted) {
    try {
      await owner.claim(toolCallId, claimMs, signal);
      return !signal.aborted;
    } catch (thrown) {
      // The claimant may be gone: its claim lasts no longer than ours would.
      if (isRefusal(thrown, "already_claimed")) await pause(claimMs, signal);
      else if (isRefusal(thrown, ...overCodes)) return false;
      else throw thrown;
    }
  }
  return false;
}

/** Refusals of a claim or an answer that say the call has ended. */
const overCodes = ["not_pending", "already_answered", "not_found"];
