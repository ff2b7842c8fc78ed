/** The model's part of a step: attempts until one is whole, or until there is no point in another. */
import { Attempt } from "./attempt.ts";
import { retryDelay } from "./backoff.ts";
import { isPromise } from "./callbacks.ts";
import type {
  AssistantMessage,
  AssistantPart,
  ChatMessage,
  FinishReason,
} from "./contracts/conversation.ts";
import type { Fact } from "./contracts/journal.ts";
import type { Span } from "./contracts/logging.ts";
import type { Draft } from "./draft.ts";
import { serializeError } from "./errors.ts";
import { toModelMessages } from "./model-messages.ts";
import { Reply } from "./reply.ts";
import { AttemptRequest } from "./request.ts";
import { startSpan } from "./spans.ts";
import { Step } from "./step.ts";
import type { End, OpenStep, TurnState } from "./turn-state.ts";

/** Streams one step. A reply that broke off is a step too, if it said anything; otherwise the turn ends. */
export async function streamReply(turn: TurnState): Promise<Step | End> {
  let hasRecovered = false;
  for (let attempt = turn.takeAttemptsInStep() + 1; ; attempt++) {
    const context = prepareContext(turn);
    const messages = isPromise(context) ? await context : context;
    const step = turn.openStep ?? turn.startStep();
    const tried = new Try(turn, step, attempt, messages);
    const announced = tried.announce();
    if (announced !== undefined) await announced;
    turn.throwIfFailed();
    const outcome = await tried.attempt.run();
    turn.countAttempt(tried.reply.usage);
    if (outcome.type === "completed") return tried.complete();
    if (outcome.type === "aborted") return tried.breakOff("aborted", undefined);

    const { thrown } = outcome;
    const delayMs = retryDelay(thrown, attempt, turn.input.retry, turn.input.random);
    if (delayMs !== undefined) {
      await tried.discard(thrown, delayMs);
      await turn.wait(delayMs);
      const limit = await turn.limit();
      if (limit !== undefined) return limit;
      continue;
    }
    const recovered = hasRecovered ? undefined : await recover(turn, thrown);
    if (turn.abort.isAborted) return tried.breakOff("aborted", undefined);
    if (recovered === undefined) return tried.breakOff("error", thrown);
    hasRecovered = true;
    turn.replaceContext(recovered);
    await tried.discard(thrown, 0);
  }
}

/** The context of the next request; undefined where nobody transforms it, and it can wait until it is read. */
function prepareContext(
  turn: TurnState,
): readonly ChatMessage[] | undefined | Promise<readonly ChatMessage[]> {
  const { transformContext, convertToLlm } = turn.input;
  if (transformContext === undefined && convertToLlm === undefined) return undefined;
  return transform(turn);
}

async function transform(turn: TurnState): Promise<readonly ChatMessage[]> {
  const { transformContext, convertToLlm = toModelMessages } = turn.input;
  let messages = turn.transcript();
  if (transformContext !== undefined) {
    messages = await turn.callbacks.call("transformContext", () =>
      transformContext(messages, turn.abort.signal),
    );
  }
  return turn.callbacks.call("convertToLlm", () => convertToLlm(messages));
}

/** Another context to try once more with. A `recover` that fails has none: the error of the attempt stands. */
async function recover(
  turn: TurnState,
  thrown: unknown,
): Promise<readonly ChatMessage[] | undefined> {
  const { recover: ask } = turn.input;
  if (ask === undefined) return undefined;
  try {
    return await turn.callbacks.call("recover", () => ask(serializeError(thrown)));
  } catch (failure) {
    turn.log("warn", serializeError(failure).message);
    return undefined;
  }
}

/** One attempt with everything that is recorded and shown about it. */
class Try {
  readonly attempt: Attempt;
  readonly reply: Reply;
  readonly #turn: TurnState;
  readonly #step: number;
  readonly #number: number;
  readonly #messageId: string;
  readonly #span: Span | undefined;

  constructor(
    turn: TurnState,
    { number: step, span }: OpenStep,
    number: number,
    messages: readonly ChatMessage[] | undefined,
  ) {
    this.#turn = turn;
    this.#step = step;
    this.#number = number;
    this.#messageId = turn.newMessageId();
    this.#span = startSpan(turn.input.logger, "attempt", { step, attempt: number }, span);
    this.reply = new Reply(turn, this.#messageId);
    this.attempt = new Attempt(turn, new AttemptRequest(turn, step, number, messages), this.reply);
  }

  announce(): Promise<void> | undefined {
    const turn = this.#turn;
    const { conversationId, turnId } = turn;
    const step = this.#step;
    const attempt = this.#number;
    const messageId = this.#messageId;
    turn.attempts++;
    return turn.record(
      () => [{ type: "attempt", step, attempt, messageId }],
      () => {
        turn.emit({ type: "attempt_start", conversationId, turnId, step, attempt });
        turn.emit({ type: "message_start", conversationId, turnId, role: "assistant", messageId });
      },
    );
  }

  /** The reply is whole. One that says nothing leaves no message. */
  complete(): Step | End | Promise<Step | End> {
    const content = this.reply.content();
    const finishReason = this.reply.finishReason ?? "stop";
    if (content.length > 0) return this.#commit(this.#message(content, finishReason), undefined);
    const isAnswer = finishReason === "pause" || finishReason === "tool-calls";
    return this.#leave({ finishReason: isAnswer ? "stop" : finishReason }, undefined);
  }

  /** The reply broke off, and no other attempt follows. */
  breakOff(finishReason: "aborted" | "error", thrown: unknown): Step | End | Promise<Step | End> {
    const isError = finishReason === "error";
    const content = this.reply.partialContent(!isError);
    const message = this.#message(content, finishReason);
    const end: Draft<End> = { finishReason };
    if (isError) end.error = message.error = serializeError(thrown);
    return content.length > 0 ? this.#commit(message, thrown) : this.#leave(end, thrown);
  }

  /** Takes back what the attempt said, before another one. */
  async discard(thrown: unknown, delayMs: number): Promise<void> {
    const turn = this.#turn;
    const { conversationId, turnId } = turn;
    const error = serializeError(thrown);
    const step = this.#step;
    const attempt = this.#number;
    this.#span?.end(error);
    await turn.record(
      () => [{ ...this.#ended("discarded", thrown), delayMs }],
      () => {
        const discarded = { step, attempt, error, delayMs };
        turn.emit({ type: "attempt_discarded", conversationId, turnId, ...discarded });
      },
    );
    turn.throwIfFailed();
  }

  #commit(message: AssistantMessage, thrown: unknown): Step | Promise<Step> {
    const turn = this.#turn;
    const { conversationId, turnId } = turn;
    const step = new Step(turn, this.#step, message, this.attempt.timing);
    const pending = turn.isStopped ? [] : step.calls.waitAtOnce();
    this.#span?.end(message.error);
    const recorded = turn.record(
      () => [
        { type: "message", step: this.#step, message, ...(pending.length > 0 && { pending }) },
        this.#ended(outcomeOf(message.stopReason), thrown),
      ],
      () => {
        turn.push(message);
        turn.steps++;
        turn.step = step;
        turn.emit({ type: "message_end", conversationId, turnId, message });
        if (pending.length === 0) return;
        turn.emit({ type: "awaiting_tool_execution", conversationId, turnId, pending });
      },
    );
    return turn.afterRecord(recorded, step);
  }

  /** Ends the step without a message, and the turn with it. */
  #leave(end: End, thrown: unknown): End | Promise<End> {
    const turn = this.#turn;
    const { finishReason } = end;
    this.#span?.end(end.error);
    const recorded = turn.record(
      () => [this.#ended(outcomeOf(finishReason), thrown)],
      () => {
        turn.steps++;
        turn.endStep({ finishReason, usage: this.reply.usage, timing: this.attempt.timing });
      },
    );
    return turn.afterRecord(recorded, end);
  }

  #message(content: readonly AssistantPart[], stopReason: FinishReason): Draft<AssistantMessage> {
    const { usage, origin, metadata } = this.reply;
    const id = this.#messageId;
    const message: Draft<AssistantMessage> = { role: "assistant", id, content, stopReason };
    if (usage !== undefined) message.usage = usage;
    if (origin !== undefined) message.origin = origin;
    if (metadata !== undefined) message.metadata = metadata;
    return message;
  }

  #ended(outcome: AttemptEnded["outcome"], thrown: unknown): AttemptEnded {
    const { usage } = this.reply;
    const { timing } = this.attempt;
    return {
      type: "attempt_ended",
      step: this.#step,
      attempt: this.#number,
      outcome,
      ...(usage !== undefined && { usage }),
      ...(timing !== undefined && { timing }),
      ...(thrown !== undefined && { error: serializeError(thrown) }),
    };
  }
}

type AttemptEnded = Extract<Fact, { type: "attempt_ended" }>;

function outcomeOf(stopReason: FinishReason): AttemptEnded["outcome"] {
  if (stopReason === "aborted") return "aborted";
  return stopReason === "error" ? "failed" : "completed";
}
