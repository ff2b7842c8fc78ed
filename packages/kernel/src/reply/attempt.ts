/** One attempt of a step, with all facts and events about it. */
import { retryDelay } from "./backoff.ts";
import { isAbortedCallback, toReason } from "../effects/callbacks.ts";
import type {
  AssistantMessage,
  AssistantPart,
  ChatMessage,
  FinishReason,
  SerializedError,
} from "../contracts/conversation.ts";
import type { PendingCall } from "../contracts/events.ts";
import type { Rejection } from "../contracts/guards.ts";
import type { Fact } from "../contracts/journal.ts";
import type { LogFields, Span } from "../contracts/logging.ts";
import type { AskedModel } from "../contracts/progress.ts";
import type { Draft } from "../effects/draft.ts";
import { serializeError } from "../errors/errors.ts";
import type { StreamOutcome, StreamReader } from "./provider-stream.ts";
import { ProviderStream } from "./provider-stream.ts";
import { GuardedEnd, GuardedReply } from "./guarded-reply.ts";
import { askForContext, askForRoom, mayReplaceContext } from "./overflow.ts";
import { recordRejection, rejectionError } from "./rejection.ts";
import { Reply } from "./reply.ts";
import { AttemptRequest, AttemptSignal } from "./request.ts";
import { Step } from "../calls/step.ts";
import type { End, OpenStep, TurnState } from "../turn/turn-state.ts";

const none: readonly PendingCall[] = [];
const blankMessage: AssistantMessage = {
  role: "assistant",
  id: "",
  content: [],
  stopReason: "stop",
};

type AttemptEnded = Extract<Fact, { type: "attempt_ended" }>;
/** Undefined: the next step asks again. */
type Outcome = Step | End | undefined | Promise<Step | End | undefined>;
type TryAgain = (turn: TurnState) => Promise<Step | End | undefined>;

export class Attempt implements StreamReader {
  readonly #turn: TurnState;
  readonly #step: OpenStep;
  readonly #number: number;
  readonly #messageId: string;
  readonly #asked: AskedModel | undefined;
  readonly #reply: Reply;
  readonly #request: AttemptRequest;
  readonly #stream: ProviderStream;
  readonly #span: Span | undefined;
  readonly #tryAgain: TryAgain;
  readonly #guarded: GuardedReply | undefined;
  /** Set only if a guard judges the reply: a method would be called for every part. */
  readonly onPart: (() => void) | undefined;
  #resolve: ((outcome: Outcome) => void) | undefined;

  constructor(
    turn: TurnState,
    step: OpenStep,
    messages: readonly ChatMessage[] | undefined,
    tryAgain: TryAgain,
  ) {
    this.#turn = turn;
    this.#step = step;
    this.#number = ++step.attempts;
    this.#messageId = turn.newMessageId();
    this.#tryAgain = tryAgain;
    this.#asked = turn.target.asked;
    this.#span = turn.spans?.start("attempt", this.#attributes(), step.span);
    const { output, isIncremental = false } = turn.guards;
    if (output !== undefined) this.#guarded = new GuardedReply(turn, output, isIncremental);
    this.#reply = new Reply(turn, this.#messageId, this.#guarded?.held);
    if (this.#guarded !== undefined) this.onPart = this.#judgeParts(this.#guarded);
    const signal = new AttemptSignal();
    const request = new AttemptRequest(turn, step.step, this.#number, messages, signal);
    this.#request = request;
    const ask = { request, signal, span: this.#span };
    this.#stream = new ProviderStream(turn, ask, this.#reply, this);
  }

  #judgeParts(guarded: GuardedReply): () => void {
    return () => guarded.onPart(this.#reply, this.#stream);
  }

  #attributes(): LogFields {
    const { askedProvider, options } = this.#turn.target;
    const [step, attempt] = [this.#step.step, this.#number];
    return { step, attempt, provider: askedProvider.id, model: options.model };
  }

  announce(): Promise<void> | undefined {
    const turn = this.#turn;
    turn.attempts++;
    turn.record(this.#begun());
    return turn.flush();
  }

  #begun(): Fact {
    const [step, attempt, messageId] = [this.#step.step, this.#number, this.#messageId];
    if (this.#asked === undefined) return { type: "attempt", step, attempt, messageId };
    const { model, index: modelIndex } = this.#asked;
    return { type: "attempt", step, attempt, messageId, model, modelIndex };
  }

  /** Returns the resulting step, or how the turn ends; of this attempt or of those that had to follow it. */
  run(): Promise<Step | End | undefined> {
    this.#turn.throwIfFailed();
    return new Promise((resolve) => {
      this.#resolve = resolve;
      this.#stream.start();
    });
  }

  onStreamEnd(outcome: StreamOutcome): void {
    this.#turn.countAttempt(this.#reply.usage);
    this.#resolve?.(this.#outcomeOf(outcome));
  }

  /** Never throws: a failure is reported to the waiting attempt. */
  #outcomeOf(outcome: StreamOutcome): Outcome {
    try {
      return outcome.type === "completed" ? this.#complete() : this.#fail(outcome);
    } catch (thrown) {
      return failed(thrown);
    }
  }

  /** Called when the reply is complete. An empty reply leaves no message. */
  #complete(): Outcome {
    const content = this.#reply.content();
    const finishReason = this.#reply.finishReason ?? "stop";
    if (content.length > 0) return this.#judge(this.#message(content, finishReason));
    if (this.#turn.isClosing) return this.#leave({ finishReason: "max-steps" });
    const isAnswer = finishReason === "pause" || finishReason === "tool-calls";
    return this.#leave({ finishReason: isAnswer ? "stop" : finishReason });
  }

  /** A reply counts only if the guard passes it. */
  #judge(message: AssistantMessage): Outcome {
    return this.#guarded === undefined
      ? this.#commit(message)
      : this.#judgeBy(this.#guarded, message);
  }

  async #judgeBy(
    guarded: GuardedReply,
    message: AssistantMessage,
  ): Promise<Step | End | undefined> {
    let rejection: Rejection | undefined;
    try {
      rejection = await guarded.judge({ text: this.#reply.text, message });
    } catch (thrown) {
      return this.#breakOffUnjudged(thrown);
    }
    if (rejection !== undefined) return this.#reject(rejection, message);
    guarded.held.release();
    return this.#commit(message);
  }

  /** Records the reply as rejected. The turn ends with it, or the model is asked once more in the next step. */
  #reject(rejection: Rejection, message: AssistantMessage): Outcome {
    const turn = this.#turn;
    const error = rejectionError("output_rejected", rejection);
    this.#endSpan("error", error);
    const ended = { ...this.#ended("rejected", error), rejected: message };
    return recordRejection(turn, ended, rejection, error);
  }

  /** Ends a reply whose guard gave no verdict. */
  #breakOffUnjudged(thrown: unknown): Outcome {
    const isAborted = isAbortedCallback(thrown);
    return isAborted ? this.#breakOff("aborted", undefined) : this.#breakOff("error", thrown);
  }

  /** Ends a reply that a guard has not let through while it streamed. */
  #endGuarded({ why }: GuardedEnd): Outcome {
    if ("thrown" in why) return this.#breakOffUnjudged(why.thrown);
    const content = this.#reply.partialContent(true);
    return this.#reject(why.rejection, this.#message(content, "error"));
  }

  async #fail(
    outcome: Exclude<StreamOutcome, { type: "completed" }>,
  ): Promise<Step | End | undefined> {
    if (outcome.type === "aborted") return this.#breakOff("aborted", undefined);
    const turn = this.#turn;
    const { thrown } = outcome;
    if (thrown instanceof GuardedEnd) return this.#endGuarded(thrown);
    const { route } = turn.target;
    if (route?.takesOver(thrown) === true) {
      this.#step.takeovers++;
      await this.#discard(thrown, 0);
      return (await turn.limit()) ?? this.#tryAgain(turn);
    }
    const chance = turn.input.clock?.random && (() => turn.surroundings.random() ?? 1);
    const tries = this.#number - this.#step.takeovers;
    const elapsedMs = this.#sinceFirstFailure();
    const delayMs = retryDelay(thrown, tries, turn.limits.retry, chance, elapsedMs);
    if (delayMs !== undefined) {
      route?.startOver(thrown);
      await this.#discard(thrown, delayMs);
      await turn.wait(delayMs);
      return (await turn.limit()) ?? this.#tryAgain(turn);
    }
    const replacement = mayReplaceContext(this.#step, thrown)
      ? await askForContext(turn, thrown)
      : undefined;
    if (turn.abort.isAborted) return this.#breakOff("aborted", undefined);
    if (replacement === undefined) return this.#makeRoom(thrown);
    this.#step.contextReplacements++;
    turn.transcript.replaceContext(replacement);
    await this.#discard(thrown, 0);
    return this.#tryAgain(turn);
  }

  #sinceFirstFailure(): number {
    const now = this.#turn.surroundings.now() ?? 0;
    this.#step.failedAt ??= now;
    return now - this.#step.failedAt;
  }

  /** Keeps the error, unless it reports that the request was too long and there is room after all. */
  async #makeRoom(thrown: unknown): Promise<Step | End | undefined> {
    const turn = this.#turn;
    const room = await askForRoom(turn, thrown);
    if (turn.abort.isAborted) return this.#breakOff("aborted", undefined);
    if (room === undefined) return this.#breakOff("error", thrown);
    await this.#discard(thrown, 0);
    if (room !== true) return { finishReason: toReason("makeRoom", room) };
    turn.transcript.renewContext();
    return (await turn.limit()) ?? this.#tryAgain(turn);
  }

  /** Ends the step with a partial reply. No other attempt follows. */
  #breakOff(finishReason: "aborted" | "error", thrown: unknown): Outcome {
    const isError = finishReason === "error";
    const content = this.#partialContent(!isError);
    const message = this.#message(content, finishReason);
    const end: Draft<End> = { finishReason };
    if (isError) end.error = message.error = serializeError(thrown);
    return content.length > 0 ? this.#commit(message) : this.#leave(end);
  }

  /** Under a guard, only the text that it has passed is kept. */
  #partialContent(keepsCalls: boolean): readonly AssistantPart[] {
    if (this.#guarded === undefined) return this.#reply.partialContent(keepsCalls);
    const { held } = this.#guarded;
    held.breakOff();
    const text = held.releasedText;
    return text === "" ? [] : [{ type: "text", text }];
  }

  /** Retracts the content of the attempt, before another one. */
  async #discard(thrown: unknown, delayMs: number): Promise<void> {
    const turn = this.#turn;
    const error = serializeError(thrown);
    this.#endSpan("error", error);
    turn.record({ ...this.#ended("discarded", error), delayMs });
    await turn.flush();
    turn.throwIfFailed();
  }

  #commit(message: AssistantMessage): Step | Promise<Step> {
    const turn = this.#turn;
    const number = this.#step.step;
    const step = new Step(turn, number, message);
    const mayRun = !turn.isStopped && step.objection === undefined;
    const pending = mayRun ? step.calls.waitAtOnce() : none;
    this.#endSpan(message.stopReason, message.error, message);
    turn.record({ type: "message", step: number, message }, () => {
      turn.transcript.push(message);
      turn.steps++;
      turn.step = step;
    });
    if (pending.length > 0) turn.record({ type: "pending", step: number, pending });
    const ended = this.#ended(outcomeOf(message.stopReason), message.error);
    // A reply that was only paused is continued by another request.
    const isAnswer = step.calls.isEmpty && message.stopReason !== "pause";
    const isFollowed = isAnswer ? turn.isEndedAtOnce : step.calls.isEmpty && turn.isContinuedAtOnce;
    turn.record(ended, () => turn.endAttempt(ended), isFollowed);
    if (mayRun) step.calls.startAtOnce();
    return turn.afterFlush(step);
  }

  /** Ends the step without a message, and with it the turn. */
  #leave(end: End): End | Promise<End> {
    const turn = this.#turn;
    const { finishReason, error } = end;
    this.#endSpan(this.#reply.finishReason ?? finishReason, error);
    const ended = this.#ended(outcomeOf(finishReason), error);
    const onRecorded = (): void => {
      turn.steps++;
      turn.endAttempt(ended);
    };
    // The end of the turn follows.
    turn.record(ended, onRecorded, true);
    return turn.afterFlush(end);
  }

  #endSpan(
    stopReason: FinishReason,
    error: SerializedError | undefined,
    reply?: AssistantMessage,
  ): void {
    if (this.#span === undefined) return;
    if (this.#turn.spans?.hasContent === true) {
      const { messages } = this.#request;
      this.#span.setContent?.(reply === undefined ? { messages } : { messages, reply });
    }
    const { usage, origin } = this.#reply;
    const ttftMs = this.#stream.timing?.ttftMs;
    this.#span.setAttributes({ stopReason, responseModel: origin?.model, ttftMs, ...usage });
    this.#span.end(error);
  }

  #message(content: readonly AssistantPart[], stopReason: FinishReason): Draft<AssistantMessage> {
    const { usage, origin, metadata } = this.#reply;
    const id = this.#messageId;
    const message: Draft<AssistantMessage> = { ...blankMessage, id, content, stopReason };
    if (usage !== undefined) message.usage = usage;
    if (origin !== undefined) message.origin = origin;
    if (metadata !== undefined) message.metadata = metadata;
    return message;
  }

  #ended(outcome: AttemptEnded["outcome"], error: SerializedError | undefined): AttemptEnded {
    this.#guarded?.held.drop();
    const { usage } = this.#reply;
    const { timing } = this.#stream;
    const ended: Draft<AttemptEnded> = {
      type: "attempt_ended",
      step: this.#step.step,
      attempt: this.#number,
      outcome,
    };
    if (this.#asked !== undefined) ended.model = this.#asked.model;
    if (usage !== undefined) ended.usage = usage;
    if (timing !== undefined) ended.timing = timing;
    if (error !== undefined) ended.error = error;
    return ended;
  }
}

async function failed(thrown: unknown): Promise<never> {
  throw thrown;
}

function outcomeOf(stopReason: FinishReason): AttemptEnded["outcome"] {
  if (stopReason === "aborted") return "aborted";
  return stopReason === "error" ? "failed" : "completed";
}
