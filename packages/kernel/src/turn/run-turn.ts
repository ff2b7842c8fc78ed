/** The turn loop: from one input to the next rest, as a function of its arguments. */
import { wrongValue } from "../effects/callbacks.ts";
import { isPromise } from "../effects/is-promise.ts";
import type { AssistantMessage, ChatMessage, UserMessage } from "../contracts/conversation.ts";
import type { ConversationIds, EventIds } from "../contracts/events.ts";
import type { RunTurnInput, RunTurnResult } from "../contracts/runtime.ts";
import { concludeTurn, endOf, toResult, toldEnd } from "./end-turn.ts";
import { ProviderError, TurnError, serializeError } from "../errors/errors.ts";
import { Step } from "../calls/step.ts";
import { streamReply } from "../reply/stream-reply.ts";
import { areMessages } from "./messages.ts";
import { guardInput } from "./guard-input.ts";
import { prepareStep, restoreStep } from "./prepare-step.ts";
import type { End } from "./turn-state.ts";
import { OpenStep, TurnState } from "./turn-state.ts";

/** Position of the turn: at a step whose calls must be settled, at its end, or before its first request. */
type Position = Step | End | undefined;
/** Returns the end of the turn, if there is a reason to end. A promise only if something must be awaited, which is rare. */
type Phase = (turn: TurnState, at: Position) => Ended | Promise<Ended>;
type Ended = End | undefined | void;

/** Phases between two requests, in order. */
const phases: readonly Phase[] = [
  (turn) => turn.breathe(),
  dispatch,
  rest,
  checkLimits,
  drain,
  guardInput,
  prepareStep,
  (turn) => turn.makeRoom(),
];

/**
 * Runs one turn. Never throws because of a provider, a tool, a hook, a listener or the journal: it returns. Every turn shows exactly one
 * `turn_end`, except that an `error` replaces it if the journal failed.
 */
export function runTurn(input: RunTurnInput): Promise<RunTurnResult>;
/** Like the first form, with other ids in the events: for a layer that has its own name for a conversation. */
export function runTurn<Ids extends EventIds>(
  input: RunTurnInput<Ids>,
  ids: Ids,
): Promise<RunTurnResult>;
export async function runTurn<Ids extends EventIds>(
  input: RunTurnInput<Ids>,
  ids?: Ids,
): Promise<RunTurnResult> {
  // The listener takes events with `Ids`, and no others are made.
  const turn = new TurnState(input as RunTurnInput<EventIds>, ids ?? conversationIds(input));
  announce(turn);
  for (let isReopened = false; ; isReopened = true) {
    let end: Ended;
    try {
      const restored = isReopened ? undefined : restoreStep(turn);
      if (restored !== undefined) await restored;
      const entered = isReopened ? reopen(turn) : enter(turn);
      let at: Position = isPromise(entered) ? await entered : entered;
      while (end === undefined) {
        // By index: an iterator that lives across awaits costs as much as the rest of the loop.
        for (let index = 0; index < phases.length && end === undefined; index++) {
          const ended = phases[index]?.(turn, at);
          end = isPromise(ended) ? await ended : ended;
        }
        if (end !== undefined) break;
        // The step has ended, and a turn that waits for a model should hold little memory.
        at = undefined;
        at = await streamReply(turn);
      }
    } catch (thrown) {
      end = endOf(thrown);
    }
    const told = toldEnd(turn, end);
    try {
      if (!(await concludeTurn(turn, told))) continue;
    } catch (thrown) {
      turn.failWith(thrown);
    }
    return toResult(turn, told);
  }
}

function conversationIds({ conversationId, turnId }: ConversationIds): ConversationIds {
  return { conversationId, turnId };
}

/** Settles the calls of a step that can be settled here. */
function dispatch(_: TurnState, at: Position): Promise<void> | undefined {
  if (!(at instanceof Step) || at.calls.isEmpty) return undefined;
  return at.objection === undefined ? at.calls.settle() : at.calls.refuseAll(at.objection);
}

/** Returns how the turn ends at this position; undefined if there is no reason to end. */
function rest(turn: TurnState, at: Position): End | undefined | Promise<End | undefined> {
  if (!(at instanceof Step)) return at;
  turn.throwIfFailed();
  if (!at.calls.isSettled) return { finishReason: "tool-calls", pending: at.calls.pending() };
  const completed = at.complete(turn);
  return isPromise(completed) ? completed.then(() => endAfter(turn, at)) : endAfter(turn, at);
}

function endAfter(turn: TurnState, step: Step): End | undefined | Promise<End | undefined> {
  if (step.calls.isEmpty) return endAfterAnswer(turn, step);
  const { stopReason } = step.message;
  if (turn.abort.isAborted) return { finishReason: "aborted" };
  if (turn.isClosing) return { finishReason: "max-steps" };
  if (stopReason === "content-filter") return { finishReason: stopReason };
  if (step.calls.isTerminal) return { finishReason: "stop" };
  return turn.limits.stopWhen === undefined ? undefined : stopWhen(turn);
}

/** End of the turn after a reply without calls. */
function endAfterAnswer(turn: TurnState, step: Step): End | undefined | Promise<End | undefined> {
  const { stopReason } = step.message;
  if (turn.abort.isAborted) return { finishReason: "aborted" };
  if (stopReason === "error") return failedEnd(step.message);
  if (turn.isClosing) return { finishReason: "max-steps" };
  // The provider only paused: the next step continues its reply.
  if (stopReason === "pause") return endAfterPauses(turn);
  // A reply that announces calls but has none is an answer.
  const finishReason = stopReason === "tool-calls" ? "stop" : stopReason;
  const isAnswer = finishReason === "stop" && turn.limits.checkAnswer !== undefined;
  return isAnswer ? endUnlessWrong(turn, step.message) : { finishReason };
}

/** Without a limit, a provider that only pauses would be asked forever. */
function endAfterPauses(turn: TurnState): End | undefined {
  const { provider } = turn.input;
  const { pauses = Infinity } = turn.limits;
  if (turn.transcript.pausesAtEnd() <= pauses) return undefined;
  const message = `The provider "${provider.id}" paused its reply more than ${pauses} times in a row: continue with another message, or raise limits.pauses`;
  return { finishReason: "error", error: serializeError(new ProviderError("protocol", message)) };
}

/** Validates the answer; a wrong one is sent back once. */
async function endUnlessWrong(
  turn: TurnState,
  message: AssistantMessage,
): Promise<End | undefined> {
  const { checkAnswer } = turn.limits;
  const problem = await turn.callbacks.call("checkAnswer", () => checkAnswer?.(message));
  if (problem === undefined) return { finishReason: "stop" };
  if (typeof problem !== "string")
    throw wrongValue("checkAnswer", problem, "a string or undefined");
  if (turn.transcript.hasSinceInput(isRepairPrompt)) {
    return { finishReason: "error", error: serializeError(wrongTwice(problem)) };
  }
  await addPrompt(turn, problem, "repair");
  return undefined;
}

/** The problem text was written for the model and may list every field of a large answer. */
function wrongTwice(problem: string): TurnError {
  const shown = problem.length > 500 ? `${problem.slice(0, 500)}…` : problem;
  const message = `The answer was wrong twice: simplify the schema, or use a better model. Last problem: ${shown}`;
  return new TurnError("invalid_output", message);
}

function isRepairPrompt(message: ChatMessage): boolean {
  return message.role === "user" && message.source === "repair";
}

function failedEnd(message: AssistantMessage): End {
  return { finishReason: "error", ...(message.error && { error: message.error }) };
}

async function stopWhen(turn: TurnState): Promise<End | undefined> {
  const { stopWhen: ask } = turn.limits;
  if (ask === undefined) return undefined;
  const finished = { ...turn.progress(), messages: turn.transcript.added };
  // Untyped code often returns nothing when it means no.
  const answer: boolean | string | null | undefined = await turn.callbacks.call("stopWhen", () =>
    ask(finished),
  );
  if (answer === false || answer === "" || answer === undefined || answer === null)
    return undefined;
  if (answer === true) return { finishReason: "stop" };
  if (typeof answer === "string") return { finishReason: answer };
  throw wrongValue("stopWhen", answer, "true, false or a finish reason");
}

/** Checks whether another request is allowed. At the step limit a closing step may follow. */
function checkLimits(turn: TurnState): End | undefined | Promise<End | undefined> {
  const limit = turn.limit();
  return isPromise(limit) ? limit.then((end) => orClose(turn, end)) : orClose(turn, limit);
}

function orClose(turn: TurnState, end: End | undefined): End | undefined | Promise<undefined> {
  const { closing } = turn.limits;
  if (end?.finishReason !== "max-steps" || closing === undefined) return end;
  return close(turn, closing.prompt);
}

/**
 * Sends the user's queued messages to the model together with tool results. Not before the closing step, which could not act on them. Almost
 * always there are none.
 */
function drain(turn: TurnState, at: Position): Promise<void> | undefined {
  const { drainSteering } = turn.input;
  if (drainSteering === undefined || turn.isClosing) return undefined;
  if (!(at instanceof Step) || at.calls.isEmpty) return undefined;
  const messages = turn.callbacks.call("drainSteering", () => drainSteering());
  if (isPromise(messages)) return messages.then((sent) => deliver(turn, sent));
  return Array.isArray(messages) && messages.length === 0 ? undefined : deliver(turn, messages);
}

async function deliver(turn: TurnState, messages: readonly ChatMessage[]): Promise<void> {
  if (!areMessages(messages)) throw wrongValue("drainSteering", messages, "a list of messages");
  if (messages.length === 0) return;
  turn.record({ type: "steering_delivered", step: turn.steps, messages }, () => {
    for (const message of messages) turn.transcript.push(message);
  });
  await turn.flush();
  turn.throwIfFailed();
}

/** Begins the closing step, which may call no tool and reports what was done. */
async function close(turn: TurnState, prompt: string): Promise<undefined> {
  turn.isClosing = true;
  // A turn whose process died in the closing step continues in it.
  if (!isClosingPrompt(turn.transcript.last())) await addPrompt(turn, prompt, "closing");
}

/** Sends a message to the model on behalf of the user. */
async function addPrompt(
  turn: TurnState,
  content: string,
  source: "closing" | "repair",
): Promise<void> {
  const message: UserMessage = { role: "user", id: turn.newMessageId(), content, source };
  turn.recordMessage(message);
  await turn.flush();
  turn.throwIfFailed();
}

function isClosingPrompt(message: ChatMessage | undefined): boolean {
  return message?.role === "user" && message.source === "closing";
}

function announce(turn: TurnState): void {
  const { input = [] } = turn.input;
  const { prior, continues } = turn.journal;
  if (prior?.isResumed === true) return;
  turn.show({ type: "turn_started", input, ...(continues !== undefined && { continues }) });
}

/** Returns the step in which the messages end, or how the turn has already ended; undefined if it starts fresh. */
function enter(turn: TurnState): Step | End | undefined | Promise<End | undefined> {
  const { open, prior } = turn.journal;
  const last = turn.transcript.last();
  if (last?.role !== "assistant") {
    if (open === undefined) return undefined;
    const found =
      last === undefined ? "there are no messages" : `they end in a ${last.role} message`;
    throw invalid(
      `\`open\` requires messages that end in an assistant message, but ${found}: omit it`,
    );
  }
  turn.isClosing = isClosingPrompt(turn.transcript.beforeLastOfHistory());
  const step = new Step(turn, turn.steps, last);
  if (step.calls.isEmpty) {
    if (open !== undefined) {
      throw invalid(`\`open\` is given, but message "${last.id}" has no tool calls: omit it`);
    }
    // The process died between the reply and the end of the turn. A turn that was resumed before its first reply continues after the reply
    // of an earlier turn.
    const isOwn = prior?.isResumed === true && prior.steps > 0;
    return isOwn ? endAfterAnswer(turn, step) : undefined;
  }
  if (open === undefined) {
    throw invalid(
      `The messages end in "${last.id}", whose tool calls have no results: pass their states as \`open\``,
    );
  }
  step.calls.enter(open);
  turn.step = step;
  turn.underWay = new OpenStep(turn.steps, 0);
  return step;
}

function invalid(message: string): TurnError {
  return new TurnError("invalid_input", message);
}

/** Continues with answers, or an abort, that arrived while the turn was about to end, as the journal reported. */
async function reopen(turn: TurnState): Promise<Step | End> {
  const { step } = turn;
  if (step === undefined) {
    if (turn.abort.isAborted) return { finishReason: "aborted" };
    throw wronglyReopened(turn, "has no pending calls");
  }
  const isNews = turn.abort.isAborted || (await step.calls.takeAnswers());
  if (isNews) return step;
  throw wronglyReopened(turn, "got no answers");
}

function wronglyReopened({ turnId }: TurnState, why: string): TurnError {
  const message = `The journal returned "reopen" for the end of turn "${turnId}", which ${why}: return it only if \`answers\` has new ones, or the turn was aborted`;
  return new TurnError("journal_failed", message);
}
