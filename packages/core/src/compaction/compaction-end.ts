/** Entry that records the result of a compaction. */
import type { ChatMessage, SerializedError } from "@capstan/kernel";
import type { CompactionFold, CompactRequest, OwnedBody, SessionFold } from "@capstan/log";
import { modelNamed, nameOf } from "../models/model.ts";
import type { Summarizer } from "./summarizer.ts";
import type { TurnPlan } from "../agent/turn-plan.ts";
import type { Answered } from "./ask-for-summary.ts";
import { projectUpTo } from "../context/projection.ts";
import { toSummary } from "./summary-prompt.ts";
import { estimate } from "../context/token-count.ts";

export type CompactionEnd = Extract<
  OwnedBody,
  { readonly type: "compaction" | "compaction_failed" }
>;

/** Messages that a summary replaces. */
export interface SummaryScope {
  /** Id of the last message covered; `end` is the index after it. */
  readonly through: string;
  readonly end: number;
  /** Tokens of the context. */
  readonly before: number;
  readonly requests: readonly CompactRequest[];
}

/** Based on the current log: the history may have changed, and more requests may have arrived. */
export function toEnd(
  fold: SessionFold,
  { turnId, plan }: { readonly turnId: string; readonly plan: TurnPlan },
  { through, end, before, requests: asked }: SummaryScope,
  answer: Answered,
  summarizer: Summarizer | undefined,
): CompactionEnd {
  const { transcript, compactions } = fold;
  const { usage, cost } = answer;
  const isThere = transcript.at(end - 1)?.id === through;
  const isDone = answer.type === "summary" && isThere;
  const requests = endedRequests(compactions, asked, answer, isDone);
  const model = summarizer && modelNamed(summarizer.model, answer.model);
  const priceId = cost === undefined ? undefined : model?.price?.id;
  const common = {
    turnId,
    before,
    usage,
    ...(cost !== undefined && { cost }),
    ...(model && { model: nameOf(model) }),
    ...(priceId !== undefined && { priceId }),
    ...(requests.length > 0 && { requests }),
  };
  if (!isDone) {
    const reason = answer.type === "failed" ? "failed" : "aborted";
    const error: { readonly error?: SerializedError } =
      answer.type === "failed" ? { error: answer.error } : {};
    return { type: "compaction_failed", reason, ...common, ...error };
  }
  const summary = toSummary(answer.text);
  const whole = projectUpTo(fold);
  const behind = transcript.length - end;
  const rest = behind === 0 ? [] : whole.slice(-behind);
  const head: ChatMessage = { role: "user", id: through, content: summary };
  const share = estimate([head, ...rest], plan.frame) / estimate(whole, plan.frame);
  // A caller asked for it, and it would not help. Without a request the context is full: then the caller decides what that means.
  if (share >= 1 && asked.length > 0)
    return { type: "compaction_failed", reason: "nothing", ...common };
  return { type: "compaction", ...common, through, summary, after: Math.round(before * share) };
}

/** Also ends requests without directives that arrived in the meantime: they have what they asked for. Aborted ones have ended already. */
function endedRequests(
  compactions: CompactionFold,
  asked: readonly CompactRequest[],
  answer: Answered,
  isDone: boolean,
): readonly string[] {
  const ids = compactions.waiting
    .filter(({ directives }) => isDone && directives === undefined)
    .map(({ id }) => id);
  const cancelled = asked.filter(({ id }) => compactions.cancelReasonOf(id) !== undefined);
  const ended = answer.type === "aborted" && cancelled.length > 0 ? cancelled : asked;
  return [...new Set([...ended.map(({ id }) => id), ...ids])];
}
