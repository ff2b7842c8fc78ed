/** The model's part of a step: attempts until one is whole, or until there is no point in another. */
import { Attempt } from "./attempt.ts";
import { retryDelay } from "./backoff.ts";
import { isPromise } from "./callbacks.ts";
import type { AssistantMessage, ChatMessage, FinishReason } from "./contracts/conversation.ts";
import type { Fact } from "./contracts/journal.ts";
import type { Span } from "./contracts/logging.ts";
import { serializeError } from "./errors.ts";
import { toModelMessages } from "./model-messages.ts";
import { Reply } from "./reply.ts";
import { AttemptRequest } from "./request.ts";
import { startSpan } from "./spans.ts";
import { Step, endStep } from "./step.ts";
import type { End, TurnState } from "./turn-state.ts";

/** Streams one step. A reply that broke off is a step too, if it said anything; otherwise the turn ends. */
export async function streamReply(turn: TurnState, isClosing: boolean): Promise<Step | End> {
  const { conversationId, turnId } = turn;
  const step = turn.steps + 1;
  turn.emit({ type: "step_start", conversationId, turnId, step });
  const span = startSpan(turn.input.logger, "step", { step }, turn.span);
  const before = turn.takeAttemptsInStep();
  let hasRecovered = false;
  for (let attempt = before + 1; ; attempt++) {
    const context = prepareContext(turn);
    const messages = isPromise(context) ? await context : context;
    const tried = new Try(turn, step, attempt, messages, isClosing, span);
    const started = tried.announce();
    if (started !== undefined) await started;
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
      const limit = turn.limit();
      if (limit !== undefined) return tried.giveUp(limit);
      continue;
    }
    const recovered = hasRecovered ? undefined : await recover(turn, thrown);
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

async function recover(
  turn: TurnState,
  thrown: unknown,
): Promise<readonly ChatMessage[] | undefined> {
  const { recover: ask } = turn.input;
  if (ask === undefined) return undefined;
  return turn.callbacks.call("recover", () => ask(serializeError(thrown)));
}

/** One attempt with everything that is recorded and shown about it. */
class Try {
  readonly attempt: Attempt;
  readonly reply: Reply;
  readonly #turn: TurnState;
  readonly #step: number;
  readonly #number: number;
  readonly #messageId: string;
  readonly #stepSpan: Span | undefined;
  readonly #span: Span | undefined;

  constructor(
    turn: TurnState,
    step: number,
    number: number,
    messages: readonly ChatMessage[] | undefined,
    isClosing: boolean,
    stepSpan: Span | undefined,
  ) {
    this.#turn = turn;
    this.#step = step;
    this.#number = number;
    const messageId = turn.newMessageId();
    this.#messageId = messageId;
    this.#stepSpan = stepSpan;
    this.#span = startSpan(turn.input.logger, "attempt", { step, attempt: number }, stepSpan);
    this.reply = new Reply(turn, (index) => turn.newCallId(messageId, index));
    const request = new AttemptRequest({
      conversationId: turn.conversationId,
      turnId: turn.turnId,
      step,
      attempt: number,
      tools: turn.input.tools,
      options: turn.input.providerOpts,
      isClosing,
      messages: () => messages ?? turn.modelMessages(),
    });
    const { provider, now } = turn.input;
    this.attempt = new Attempt(
      { provider, now, abort: turn.abort, watchdog: turn.watchdog },
      request,
      this.reply,
    );
  }

  announce(): Promise<void> | undefined {
    const turn = this.#turn;
    const { conversationId, turnId } = turn;
    const step = this.#step;
    const attempt = this.#number;
    const messageId = this.#messageId;
    turn.attempts++;
    return turn.record([{ type: "attempt", step, attempt, messageId }], () => {
      turn.emit({ type: "attempt_start", conversationId, turnId, step, attempt });
      turn.emit({ type: "message_start", conversationId, turnId, role: "assistant", messageId });
    });
  }

  /** The reply is whole. One that says nothing leaves no message. */
  async complete(): Promise<Step | End> {
    const content = this.reply.content();
    const finishReason = this.reply.finishReason ?? "stop";
    if (content.length > 0)
      return this.#commit({ ...this.#message(finishReason), content }, undefined);
    await this.#end(finishReason, undefined);
    return {
      finishReason:
        finishReason === "pause" || finishReason === "tool-calls" ? "stop" : finishReason,
    };
  }

  /** The reply broke off, and no other attempt follows. */
  async breakOff(stopReason: "aborted" | "error", thrown: unknown): Promise<Step | End> {
    const isError = stopReason === "error";
    const error = isError ? serializeError(thrown) : undefined;
    const content = this.reply.partialContent(!isError);
    if (content.length > 0) {
      return this.#commit(
        { ...this.#message(stopReason), content, ...(error && { error }) },
        thrown,
      );
    }
    await this.#end(stopReason, thrown);
    return { finishReason: stopReason, ...(error && { error }) };
  }

  /** Takes back what the attempt said, before another one. */
  async discard(thrown: unknown, delayMs: number): Promise<void> {
    const turn = this.#turn;
    const { conversationId, turnId } = turn;
    const error = serializeError(thrown);
    const step = this.#step;
    const attempt = this.#number;
    this.#span?.end(error);
    await turn.record([{ ...this.#ended("discarded", thrown), delayMs }], () =>
      turn.emit({
        type: "attempt_discarded",
        conversationId,
        turnId,
        step,
        attempt,
        error,
        delayMs,
      }),
    );
    turn.throwIfFailed();
  }

  /** A limit was reached between two attempts. */
  giveUp(limit: End): End {
    this.#endStep(limit.finishReason);
    return limit;
  }

  async #commit(message: AssistantMessage, thrown: unknown): Promise<Step> {
    const turn = this.#turn;
    const { conversationId, turnId } = turn;
    const step = new Step(turn, this.#step, message, this.attempt.timing(), this.#stepSpan);
    const pending = turn.isStopped ? [] : step.calls.waitAtOnce();
    this.#span?.end(message.error);
    const recorded = turn.record(
      [
        { type: "message", step: this.#step, message, ...(pending.length > 0 && { pending }) },
        this.#ended(outcomeOf(message.stopReason), thrown),
      ],
      () => {
        turn.push(message);
        turn.steps++;
        turn.step = step;
        turn.emit({ type: "message_end", conversationId, turnId, message });
        if (pending.length > 0)
          turn.emit({ type: "awaiting_tool_execution", conversationId, turnId, pending });
      },
    );
    if (recorded !== undefined) await recorded;
    turn.throwIfFailed();
    return step;
  }

  async #end(stopReason: FinishReason, thrown: unknown): Promise<void> {
    const turn = this.#turn;
    this.#span?.end(thrown === undefined ? undefined : serializeError(thrown));
    await turn.record([this.#ended(outcomeOf(stopReason), thrown)], () => {
      turn.steps++;
      this.#endStep(stopReason);
    });
    turn.throwIfFailed();
  }

  #endStep(stopReason: FinishReason): void {
    const { usage } = this.reply;
    endStep(this.#turn, {
      number: this.#step,
      message: { stopReason, ...(usage !== undefined && { usage }) },
      timing: this.attempt.timing(),
      span: this.#stepSpan,
    });
  }

  #message(stopReason: FinishReason): Omit<AssistantMessage, "content"> {
    const { usage, origin, metadata } = this.reply;
    return {
      role: "assistant",
      id: this.#messageId,
      stopReason,
      ...(usage !== undefined && { usage }),
      ...(origin !== undefined && { origin }),
      ...(metadata !== undefined && { metadata }),
    };
  }

  #ended(outcome: AttemptEnded["outcome"], thrown: unknown): AttemptEnded {
    const { usage } = this.reply;
    const timing = this.attempt.timing();
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
