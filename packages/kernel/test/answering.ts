/** Answers calls from outside as soon as they wait. */
import type { LoopJournal, OpenCall, PendingCall, RunTurnInput } from "@capstan/kernel";

type Answer = (call: PendingCall) => OpenCall;

/** Answers each call that begins to wait, in its turn, with the next of these; the last one answers all others. */
export function answering(
  ...replies: readonly Answer[]
): Pick<RunTurnInput, "emit"> & { readonly journal: Pick<LoopJournal, "answers"> } {
  const left = [...replies];
  const ready: OpenCall[] = [];
  return {
    emit: (event) => {
      if (event.type !== "awaiting_tool_execution") return;
      for (const call of event.pending) {
        const answer = left.length > 1 ? left.shift() : left[0];
        if (answer !== undefined) ready.push(answer(call));
      }
    },
    journal: { answers: () => ready.splice(0) },
  };
}

export const approve: Answer = ({ toolCallId }) => ({ toolCallId, state: "approved" });

export const deny: Answer = ({ toolCallId }) => ({ toolCallId, state: "denied" });

/** Runs what is remote. */
export const pick: Answer = ({ toolCallId }) => {
  return { toolCallId, state: "settled", result: { isError: false, output: "picked" } };
};
