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
  /** Seq of the log at the last report of this owner. */
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
    if (fold.created?.parent === undefined || fold.seq === this.#reportedSeq) return undefined;
    if (action.type !== "none" && action.type !== "continue") return undefined;
    const toolCallId = fold.turn?.origin.call;
    // A turn that a user started in the child is no business of the parent.
    if (toolCallId === undefined) return undefined;
    return this.#report(toolCallId, reportOf(fold, action));
  }

  async #report(toolCallId: string, report: ChildReport): Promise<void> {
    const { fold, id: childId } = this.#log;
    const { parent } = fold.created ?? {};
    if (parent === undefined) return;
    const { sessionId, incarnation } = parent;
    const childSeq = fold.seq;
    const id = `${childId}-${childSeq}`;
    const body = { type: "child_reported", toolCallId, childId, childSeq, report } as const;
    // A parent that was deleted needs no reports.
    const isThere = await postTo(this.#host, sessionId, id, body, { incarnation });
    this.#reportedSeq = childSeq;
    if (isThere) this.#host.lookForWork(sessionId);
  }
}

function reportOf(fold: SessionFold, action: NextAction): ChildReport {
  const { turn } = fold;
  if (action.type === "continue") return { type: "running" };
  if (turn?.isSuspended === true) return { type: "waiting", pending: fold.pending };
  const { usage } = turn?.prior(false) ?? { usage: {} };
  const cost = turn?.chainCost;
  return { type: "ended", result: resultOf(fold), usage, ...(cost !== undefined && { cost }) };
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
  const why = whyNoAnswer(response);
  return { isError: true, output: `The agent "${agent}" gave no answer: ${why}` };
}
