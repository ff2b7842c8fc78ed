/** One compaction, from the request to the entry that records its result. */
import type { ChatMessage, EventEmitter } from "@capstan/kernel";
import { isPromise, serializeError } from "@capstan/kernel";
import type { MaybePromise, OwnedBody, SessionIds } from "@capstan/log";
import { RepositoryError } from "@capstan/log";
import { AgentError } from "../errors/agent-error.ts";
import { windowOf } from "../models/model.ts";
import type { Summarizer } from "./summarizer.ts";
import type { TurnPlan } from "../agent/turn-plan.ts";
import type { Clock } from "../platform/clock.ts";
import type { AppendChoices, SessionLog } from "../owner/session-log.ts";
import type { AbortSwitch } from "../owner/abort-switch.ts";
import type { Answered } from "./ask-for-summary.ts";
import { askForSummary } from "./ask-for-summary.ts";
import type { CompactionEnd, SummaryScope } from "./compaction-end.ts";
import { toEnd } from "./compaction-end.ts";
import type { CompactionPlan } from "./compaction-options.ts";
import { tokensOfText } from "../context/estimate-tokens.ts";
import { fitMessages } from "./fit-messages.ts";
import { projectUpTo } from "../context/projection.ts";
import { summaryPrompt } from "./summary-prompt.ts";
import { endOfSummary } from "./summary-scope.ts";
import type { ContextSize } from "../context/token-count.ts";
import { estimate } from "../context/token-count.ts";
import { summaryLogger } from "./summary-logger.ts";

export interface CompactionSurroundings {
  readonly log: SessionLog;
  readonly size: ContextSize;
  readonly clock: Clock;
  /** Appends as the owner of the session, within the time limit of a callback. */
  append(
    bodies: readonly OwnedBody[],
    choices: Omit<AppendChoices, "lease">,
  ): MaybePromise<"appended" | "conflict">;
  /** Fails if this process no longer owns the session. */
  confirmOwnership(): MaybePromise<void>;
  readonly emit: EventEmitter<SessionIds>;
}

/** Turn that the compaction is for. */
export interface CompactionContext {
  readonly turnId: string;
  readonly plan: TurnPlan;
  readonly abort: AbortSwitch;
}

/** Share of the window reserved for the summary. */
const answerShare = 0.1;
/** Share of a request to retry with after the vendor rejected it as too long. */
const shareAfterOverflow = 0.6;
const none: readonly ChatMessage[] = [];

/** Returns the entry that ends the compaction; undefined if it was not requested and there is nothing to summarize. */
export async function compactContext(
  surroundings: CompactionSurroundings,
  context: CompactionContext,
  compaction: CompactionPlan,
): Promise<CompactionEnd | undefined> {
  const { log, size, emit } = surroundings;
  const { turnId, plan } = context;
  const { transcript, context: shown, compactions } = log.fold;
  const from = shown.summary === undefined ? 0 : transcript.indexAfter(shown.summary.through);
  const end = endOfSummary(transcript, from, compaction.keepRecentSteps);
  const before = size.count(plan.frame).tokens;
  const { waiting } = compactions;
  const last = transcript.at(end - 1);
  if (end <= from || last === undefined) {
    if (waiting.length === 0) return undefined;
    const requests = waiting.map(({ id }) => id);
    return record(surroundings, {
      type: "compaction_failed",
      turnId,
      reason: "nothing",
      before,
      requests,
    });
  }
  const scope: SummaryScope = { through: last.id, end, before, requests: waiting };
  emit({ type: "compaction_start", sessionId: log.id, turnId });
  await surroundings.append([{ type: "compaction_started", turnId }], {});
  const { answer, summarizer } = await ask(surroundings, context, compaction, scope);
  return conclude(surroundings, context, scope, answer, summarizer);
}

/** Ends pending requests without asking a model. */
export function giveUpCompaction(
  surroundings: CompactionSurroundings,
  { turnId, plan }: CompactionContext,
  requests: readonly string[],
  reason: "failed" | "aborted",
): Promise<CompactionEnd> {
  const before = surroundings.size.count(plan.frame).tokens;
  const error = reason === "failed" ? { error: serializeError(switchedOff()) } : {};
  return record(surroundings, {
    type: "compaction_failed",
    turnId,
    reason,
    before,
    requests,
    ...error,
  });
}

function switchedOff(): AgentError {
  const message =
    "The agent of the session has compaction: false: use compaction: { auto: false } to compact only on request";
  return new AgentError("invalid_compaction", message);
}

interface Asked {
  readonly answer: Answered;
  readonly summarizer?: Summarizer;
}

async function ask(
  surroundings: CompactionSurroundings,
  context: CompactionContext,
  compaction: CompactionPlan,
  scope: SummaryScope,
): Promise<Asked> {
  const { plan, abort } = context;
  let summarizer: Summarizer | undefined;
  try {
    summarizer = await untilAborted(plan.summarizer(), abort);
    await surroundings.confirmOwnership();
  } catch (thrown) {
    return {
      answer: { type: "failed", usage: {}, cost: undefined, error: serializeError(thrown) },
    };
  }
  if (summarizer === undefined) return { answer: { type: "aborted", usage: {}, cost: undefined } };
  const { log, clock } = surroundings;
  const { settings, frame } = plan;
  const { directives } = compaction;
  const fit = (messages: readonly ChatMessage[], tokens: number): readonly ChatMessage[] =>
    fitMessages(messages, tokens, frame.hasCustom);
  const messages = projectUpTo(log.fold, scope.end);
  const asked = scope.requests.map((request) => request.directives);
  const prompt = summaryPrompt([directives, ...asked]);
  const room = roomFor(messages, prompt, summarizer, scope, plan);
  const answer = await askForSummary({
    messages: fit(messages, room),
    prompt,
    cost: summarizer.cost,
    loop: {
      provider: summarizer.provider,
      tools: settings.tools,
      providerOpts: summarizer.providerOpts,
      conversationId: log.id,
      turnId: context.turnId,
      signal: abort,
      limits: settings.limits,
      logger: settings.logger && summaryLogger(settings.logger),
      context: {
        ...settings.context,
        // A summary is not a step of the turn.
        prepareStep: undefined,
        onOverflow: (error, sent) => {
          const tokens = estimate(sent, frame) * shareAfterOverflow;
          if (error.code === "context_overflow") return fit(sent, tokens);
          return settings.context.onOverflow?.(error, sent);
        },
      },
      now: clock.now,
      clock,
    },
  });
  return { answer, summarizer };
}

/** Estimated tokens of messages that fit into the request. */
function roomFor(
  messages: readonly ChatMessage[],
  prompt: string,
  { model }: Summarizer,
  { before }: SummaryScope,
  { frame }: TurnPlan,
): number {
  const window = windowOf(model) ?? Infinity;
  const room = window * (1 - answerShare) - tokensOfText(prompt);
  // The count by the provider is more exact than the estimate: their ratio corrects the estimate.
  if (before <= room) return Infinity;
  return (estimate(messages, frame) * room) / before - estimate(none, frame);
}

/** Undefined if it was aborted first. */
function untilAborted<T>(value: MaybePromise<T>, abort: AbortSwitch): MaybePromise<T | undefined> {
  if (abort.aborted) return undefined;
  if (!isPromise(value)) return value;
  return new Promise((resolve, reject) => {
    Promise.resolve(value).then(resolve, reject);
    abort.addEventListener("abort", () => resolve(undefined));
  });
}

async function conclude(
  surroundings: CompactionSurroundings,
  context: CompactionContext,
  scope: SummaryScope,
  answer: Answered,
  summarizer: Summarizer | undefined,
): Promise<CompactionEnd> {
  const { log } = surroundings;
  for (let round = 1; round <= maxRounds; round += 1) {
    const body = toEnd(log.fold, context, scope, answer, summarizer);
    if ((await surroundings.append([body], { isUpToDate: true })) === "appended") return body;
    await log.catchUp();
  }
  const message = `Session "${log.id}" is posted to faster than a compaction can end`;
  throw new RepositoryError("unavailable", log.id, message);
}

/** Limit for retries because of posts in between. */
const maxRounds = 1_000;

async function record(
  surroundings: CompactionSurroundings,
  body: CompactionEnd,
): Promise<CompactionEnd> {
  await surroundings.append([body], {});
  return body;
}
