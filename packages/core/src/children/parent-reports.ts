/** Reports of a child session to its parent: it rests with a result, waits for answers, or works again. */
import type { ToolResult } from "@capstan/kernel";
import { toTurnResponse } from "@capstan/kernel";
import type { ChildReport, NextAction, SessionFold } from "@capstan/log";
import { whyNoAnswer } from "../agent/why-no-answer.ts";
import type { SessionLog } from "../owner/session-log.ts";
import type { SessionHost } from "../session/session-host.ts";
import { postTo } from "./child-posts.ts";

export class ParentReports {
  readonly #log: SessionLog;
  readonly #host: SessionHost;
  /** Seq of the last entry with an effect at the last report of this owner. */
  #reportedSeq = 0;

  constructor(log: SessionLog, host: SessionHost) {
    this.#log = log;
    this.#host = host;
  }

  /**
   * Reports what the parent does not know yet, before the session does this next. Undefined if there is nothing to report. A repeated report,
   * as by another owner after a crash, has no further effect.
   */
  beforeNext(action: NextAction): Promise<void> | undefined {
    const { fold } = this.#log;
    if (fold.created?.parent === undefined) return undefined;
    if (fold.lastEffectSeq === this.#reportedSeq) return undefined;
    const toolCallId = callOf(fold, action);
    return toolCallId === undefined
      ? undefined
      : this.#report(toolCallId, reportOf(fold, action, toolCallId));
  }

  async #report(toolCallId: string, report: ChildReport): Promise<void> {
    const { fold, id: childId } = this.#log;
    const { parent } = fold.created ?? {};
    if (parent === undefined) return;
    const { sessionId, incarnation } = parent;
    // Every owner reports the same, even after a refused post.
    const childSeq = fold.lastEffectSeq;
    const id = `${childId}-${childSeq}`;
    const body = { type: "child_reported", toolCallId, childId, childSeq, report } as const;
    // A parent that was deleted needs no reports.
    const seq = await postTo(this.#host, sessionId, id, body, { incarnation });
    this.#reportedSeq = childSeq;
    if (seq !== undefined) this.#host.lookForWork(sessionId, seq);
  }
}

/** Call of the parent that a report is about; undefined if there is none. A turn that a user started in the child is no business of the parent. */
function callOf(fold: SessionFold, action: NextAction): string | undefined {
  const { turn, tasks, children } = fold;
  switch (action.type) {
    case "continue":
      return turn?.origin.call;
    case "start":
      // The parent gave the task itself, but it does not know of a turn that the result of a child in the background starts.
      return fold.acceptedInput === undefined ? fold.originOf(action.input).call : undefined;
    case "none": {
      const { lastCall } = tasks;
      const isOpen = lastCall !== undefined && children.hasOpenFor(lastCall);
      return turn?.origin.call ?? (isOpen ? lastCall : undefined);
    }
    default:
      return undefined;
  }
}

/** A task ends when its turn has, and everything that was started for it in the background. */
function reportOf(fold: SessionFold, action: NextAction, call: string): ChildReport {
  if (action.type !== "none") return { type: "running" };
  const { pending, turn, children, tasks } = fold;
  if (turn?.isSuspended === true) return { type: "waiting", pending };
  if (children.hasOpenFor(call)) {
    return pending.length === 0 ? { type: "running" } : { type: "waiting", pending };
  }
  return { type: "ended", result: resultOf(fold), ...tasks.spentFor(call) };
}

/** The child's answer as the result of the parent's call. */
function resultOf({ turn, transcript, agent }: SessionFold): ToolResult {
  const { finishReason = "error", usage = {}, error } = turn?.end ?? {};
  const response = toTurnResponse({
    messages: transcript.messages,
    finishReason,
    usage,
    ...(error !== undefined && { error }),
  });
  if (response.hasAnswer) return { isError: false, output: response.text };
  const stopped = turn?.cancelReason;
  const why = stopped ? `it was stopped (${stopped})` : whyNoAnswer(response);
  return { isError: true, output: `The agent "${agent}" gave no answer: ${why}` };
}
