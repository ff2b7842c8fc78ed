/** The turn loop: one input to the next rest, as a function of what is passed in. */
import { Interrupted, isPromise } from "./callbacks.ts";
import type { AssistantMessage, UserMessage } from "./contracts/conversation.ts";
import type { Fact, JournalReply } from "./contracts/journal.ts";
import type { RunTurnInput, RunTurnResult } from "./contracts/runtime.ts";
import { TurnError, serializeError } from "./errors.ts";
import { Step } from "./step.ts";
import { streamReply } from "./stream-reply.ts";
import { withSafeSurroundings } from "./surroundings.ts";
import { refusal } from "./tool-result.ts";
import type { End } from "./turn-state.ts";
import { TurnState } from "./turn-state.ts";

/** The user message that follows what an abort cut short. */
export const interruptionMarker = "[interrupted by user]";

/**
 * Runs one turn. It never throws for what a provider, a tool, a hook, a listener or the journal did: it returns. Every
 * turn shows exactly one `turn_end`, except that an `error` stands in its place when the journal failed.
 */
export async function runTurn(input: RunTurnInput): Promise<RunTurnResult> {
  const turn = new TurnState(withSafeSurroundings(input));
  try {
    announce(turn);
    let end = await guarded(async () => untilRest(turn, enter(turn)));
    while ((await conclude(turn, end)) === "reopen") {
      end = await guarded(() => reopen(turn));
    }
    return resultOf(turn, end);
  } finally {
    turn.close();
  }
}

/** prepare → stream → dispatch → drain, until the turn comes to rest. */
async function untilRest(turn: TurnState, entered: Step | undefined): Promise<End> {
  let step = entered;
  for (;;) {
    if (step !== undefined) {
      const dispatched = dispatch(step);
      if (dispatched !== undefined) await dispatched;
      const rest = restAfter(turn, step);
      const end = isPromise(rest) ? await rest : rest;
      if (end !== undefined) return end;
    }
    const checked = turn.limit();
    const limit = isPromise(checked) ? await checked : checked;
    const { closing } = turn.input;
    if (limit?.finishReason === "max-steps" && closing !== undefined)
      return close(turn, closing.prompt);
    if (limit !== undefined) return limit;
    if (step?.calls.isEmpty === false && turn.input.drainSteering !== undefined) await drain(turn);
    const streamed = await streamReply(turn);
    if (!(streamed instanceof Step)) return streamed;
    step = streamed;
  }
}

/** Settles the calls of a step, as far as that can be done here. */
function dispatch({ calls, objection }: Step): Promise<void> | undefined {
  if (calls.isEmpty) return undefined;
  return objection === undefined ? calls.settle() : calls.refuseAll(objection);
}

/** How the turn ends after this step; not at all, if there is nothing to end it for. */
function restAfter(turn: TurnState, step: Step): End | undefined | Promise<End | undefined> {
  turn.throwIfFailed();
  if (!step.calls.isSettled) return { finishReason: "tool-calls", pending: step.calls.pending() };
  const completed = complete(turn, step);
  return isPromise(completed) ? completed.then(() => endAfter(turn, step)) : endAfter(turn, step);
}

function endAfter(turn: TurnState, step: Step): End | undefined | Promise<End | undefined> {
  const { stopReason } = step.message;
  if (turn.abort.isAborted) return { finishReason: "aborted" };
  if (stopReason === "error") return failedEnd(step.message);
  if (stopReason === "content-filter") return { finishReason: stopReason };
  if (step.calls.isTerminal) return { finishReason: "stop" };
  if (!step.calls.isEmpty) return turn.input.stopWhen === undefined ? undefined : stopWhen(turn);
  // The provider only paused: the next step goes on with what it has said.
  if (stopReason === "pause") return undefined;
  // A reply that announces calls and has none is an answer.
  return { finishReason: stopReason === "tool-calls" ? "stop" : stopReason };
}

function complete(turn: TurnState, step: Step): Promise<void> | void {
  turn.step = undefined;
  return step.complete(turn);
}

function failedEnd(message: AssistantMessage): End {
  return { finishReason: "error", ...(message.error && { error: message.error }) };
}

async function stopWhen(turn: TurnState): Promise<End | undefined> {
  const { stopWhen: ask } = turn.input;
  if (ask === undefined) return undefined;
  const finished = { ...turn.progress(), messages: turn.messages };
  const answer = await turn.callbacks.call("stopWhen", () => ask(finished));
  if (answer === false || answer === "") return undefined;
  return { finishReason: answer === true ? "stop" : answer };
}

/** The tool-result boundary: what the user sent meanwhile goes to the model with the results. */
async function drain(turn: TurnState): Promise<void> {
  const { drainSteering } = turn.input;
  if (drainSteering === undefined) return;
  const drained = turn.callbacks.call("drainSteering", drainSteering);
  const messages = isPromise(drained) ? await drained : drained;
  if (messages.length === 0) return;
  const { conversationId, turnId, steps: step } = turn;
  const ids = messages.map((message) => message.id);
  await turn.record(
    () => [{ type: "steering_delivered", step, messages }],
    () => {
      turn.emit({ type: "steering_delivered", conversationId, turnId, ids, step });
      for (const message of messages) {
        turn.push(message);
        turn.emitMessage(message);
      }
    },
  );
  turn.throwIfFailed();
}

/** One last step that may call nothing and reports what was done. */
async function close(turn: TurnState, prompt: string): Promise<End> {
  await askToClose(turn, prompt);
  turn.isClosing = true;
  const streamed = await streamReply(turn);
  const end = streamed instanceof Step ? await closeWith(turn, streamed) : streamed;
  const isBroken = end?.finishReason === "error" || end?.finishReason === "aborted";
  return isBroken ? end : { finishReason: "max-steps" };
}

async function askToClose(turn: TurnState, content: string): Promise<void> {
  const last = turn.lastMessage();
  // The turn died in its closing step and goes on in it.
  if (last?.role === "user" && last.source === "closing") return;
  const message: UserMessage = {
    role: "user",
    id: turn.newMessageId(),
    content,
    source: "closing",
  };
  await turn.record(
    () => [{ type: "message", step: turn.steps, message }],
    () => {
      turn.push(message);
      turn.emitMessage(message);
    },
  );
  turn.throwIfFailed();
}

async function closeWith(turn: TurnState, step: Step): Promise<End | undefined> {
  const dispatched = dispatch(step);
  if (dispatched !== undefined) await dispatched;
  return restAfter(turn, step);
}

function announce(turn: TurnState): void {
  const { input, prior, continues } = turn.input;
  if (prior?.isResumed === true) return;
  const { conversationId, turnId } = turn;
  const messages = input ?? [];
  turn.emit({
    type: "turn_start",
    conversationId,
    turnId,
    input: messages.map((message) => message.id),
    ...(continues !== undefined && { continues }),
  });
  for (const message of messages) turn.emitMessage(message);
}

/** The step that the turn enters in its middle, if its messages end in one. */
function enter(turn: TurnState): Step | undefined {
  const { open } = turn.input;
  const last = turn.lastMessage();
  const step = last?.role === "assistant" ? new Step(turn, turn.steps, last) : undefined;
  const hasCalls = step !== undefined && !step.calls.isEmpty;
  if (open === undefined && !hasCalls) return undefined;
  if (open === undefined || !hasCalls || last?.role !== "assistant") {
    const message = hasCalls
      ? "The messages end in tool calls without results: pass their states as `open`"
      : "`open` is given, but the messages do not end in an assistant message with tool calls";
    throw new TurnError("invalid_input", message);
  }
  step.calls.enter(open);
  turn.step = step;
  turn.openStep = { number: turn.steps, span: undefined, attempts: 0, hasRecovered: false };
  return step;
}

/** The journal says that answers came while the turn was about to end: it goes on with them. */
async function reopen(turn: TurnState): Promise<End> {
  const { step } = turn;
  if (step === undefined) {
    throw new TurnError("journal_failed", "The journal reopened a turn that waits for nothing");
  }
  const isNews = turn.abort.isAborted || (await step.calls.takeAnswers());
  if (isNews) return untilRest(turn, step);
  throw new TurnError("journal_failed", "The journal reopened the turn, but `answers` gave none");
}

/** Whatever goes wrong inside is an end of the turn. */
async function guarded(run: () => Promise<End>): Promise<End> {
  try {
    return await run();
  } catch (thrown) {
    return thrown instanceof Interrupted ? { finishReason: "aborted" } : failedWith(thrown);
  }
}

function failedWith(thrown: unknown): End {
  return { finishReason: "error", error: serializeError(thrown) };
}

/** Leaves a valid transcript behind, records the end, and shows it. */
async function conclude(turn: TurnState, end: End): Promise<JournalReply> {
  if (end.pending === undefined) await abandonStep(turn, end);
  const facts: Fact[] = [];
  const isInterrupted =
    end.finishReason === "aborted" || (end.error !== undefined && turn.abort.isAborted);
  const marker = isInterrupted ? interruption(turn) : undefined;
  if (marker !== undefined) facts.push({ type: "message", step: turn.steps, message: marker });
  const durationMs = turn.duration();
  const ended = {
    finishReason: end.finishReason,
    usage: turn.usage,
    ...(durationMs !== undefined && { durationMs }),
    ...(end.pending !== undefined && { pending: end.pending }),
    ...(end.error !== undefined && { error: end.error }),
  };
  const abortReason = end.finishReason === "aborted" ? turn.abort.reason : undefined;
  facts.push({ type: "turn_ended", ...ended, ...(abortReason !== undefined && { abortReason }) });
  let answer: JournalReply;
  await turn.record(
    () => facts,
    (reply) => {
      // A turn that has failed stays ended, whatever the journal says.
      answer = end.error === undefined ? reply : undefined;
      if (answer === "reopen") return;
      const { conversationId, turnId } = turn;
      if (marker !== undefined) {
        turn.push(marker);
        turn.emitMessage(marker);
      }
      if (end.pending === undefined) turn.endStep({ finishReason: end.finishReason });
      if (end.finishReason === "aborted") {
        turn.emit({
          type: "abort",
          conversationId,
          turnId,
          ...(abortReason !== undefined && { reason: abortReason }),
        });
      }
      if (end.error !== undefined)
        turn.emit({ type: "error", conversationId, turnId, error: end.error });
      turn.emit({ type: "turn_end", conversationId, turnId, ...ended });
    },
  );
  return answer;
}

/** A step that the end of the turn caught in its middle: its calls get their results all the same. */
async function abandonStep(turn: TurnState, end: End): Promise<void> {
  const { step } = turn;
  if (step === undefined || turn.failure !== undefined) return;
  const isAborted = end.finishReason === "aborted";
  await step.calls.abandon(isAborted ? refusal.interruptedBefore : refusal.notRun);
  await guarded(async () => {
    await complete(turn, step);
    return end;
  });
}

function interruption(turn: TurnState): UserMessage | undefined {
  const last = turn.lastMessage()?.role;
  // An abort before the model said anything leaves nothing to be explained.
  if (last !== "assistant" && last !== "tool") return undefined;
  return {
    role: "user",
    id: turn.newMessageId(),
    content: interruptionMarker,
    source: "interruption",
  };
}

/** The journal failed: what it lacks is not shown, but the messages of the result are a valid transcript all the same. */
function seal(turn: TurnState): void {
  for (const message of turn.step?.calls.messages() ?? []) turn.push(message);
  turn.step = undefined;
  const marker = turn.abort.isAborted ? interruption(turn) : undefined;
  if (marker !== undefined) turn.push(marker);
}

function resultOf(turn: TurnState, end: End): RunTurnResult {
  if (turn.failure !== undefined) seal(turn);
  const { finishReason, error, pending } =
    turn.failure === undefined ? end : failedWith(turn.failure);
  return {
    messages: turn.messages,
    usage: turn.usage,
    finishReason,
    ...(error !== undefined && { error }),
    ...(pending !== undefined && turn.step && { pending, open: turn.step.calls.toOpen() }),
    progress: turn.progress(),
  };
}
