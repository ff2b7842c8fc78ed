/** One attempt of a step, with all facts and events about it. */
import { retryDelay } from "./backoff.ts";
import { wrongValue } from "../effects/callbacks.ts";
import type {
  AssistantMessage,
  AssistantPart,
  ChatMessage,
  FinishReason,
  SerializedError,
} from "../contracts/conversation.ts";
import type { PendingCall } from "../contracts/events.ts";
import type { Fact } from "../contracts/journal.ts";
import type { LogFields, Span } from "../contracts/logging.ts";
import type { ProviderContract, ProviderStreamOptions } from "../contracts/provider.ts";
import type { Room } from "../contracts/loop.ts";
import type { AskedModel } from "../contracts/progress.ts";
import type { RunTurnInput } from "../contracts/runtime.ts";
import type { Draft } from "../effects/draft.ts";
import { ProviderError, isInstance, serializeError } from "../errors/errors.ts";
import type { StreamOutcome, StreamReader } from "./provider-stream.ts";
import { ProviderStream } from "./provider-stream.ts";
import { Reply } from "./reply.ts";
import { AttemptRequest, AttemptSignal } from "./request.ts";
import type { Route } from "./route.ts";
import { Step } from "../calls/step.ts";
import type { End, OpenStep, TurnState } from "../turn/turn-state.ts";
import { toReason } from "../effects/callbacks.ts";

const none: readonly PendingCall[] = [];
/** Maximum number of parts that a vendor may reject in one step. */
const maxRejections = 16;
const blankMessage: AssistantMessage = {
  role: "assistant",
  id: "",
  content: [],
  stopReason: "stop",
};

type AttemptEnded = Extract<Fact, { type: "attempt_ended" }>;
type Outcome = Step | End | Promise<Step | End>;

export class Attempt implements StreamReader {
  readonly #turn: TurnState;
  readonly #step: OpenStep;
  readonly #number: number;
  readonly #messageId: string;
  readonly #asked: AskedModel | undefined;
  readonly #reply: Reply;
  readonly #stream: ProviderStream;
  readonly #span: Span | undefined;
  readonly #tryAgain: (turn: TurnState) => Promise<Step | End>;
  #resolve: ((outcome: Outcome) => void) | undefined;

  constructor(
    turn: TurnState,
    step: OpenStep,
    messages: readonly ChatMessage[] | undefined,
    tryAgain: (turn: TurnState) => Promise<Step | End>,
  ) {
    this.#turn = turn;
    this.#step = step;
    this.#number = ++step.attempts;
    this.#messageId = turn.newMessageId();
    this.#tryAgain = tryAgain;
    this.#asked = turn.route?.asked;
    this.#span = turn.spans?.start("attempt", this.#attributes(), step.span);
    this.#reply = new Reply(turn, this.#messageId);
    const signal = new AttemptSignal();
    const request = new AttemptRequest(turn, step.step, this.#number, messages, signal);
    this.#stream = new ProviderStream(turn, { request, signal }, this.#reply, this);
  }

  #attributes(): LogFields {
    const { input, route } = this.#turn;
    const { provider, options } = route === undefined ? plain(input) : routed(route);
    const [step, attempt] = [this.#step.step, this.#number];
    return { step, attempt, provider: provider.id, model: options?.model };
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
  run(): Promise<Step | End> {
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
    if (content.length > 0) return this.#commit(this.#message(content, finishReason));
    if (this.#turn.isClosing) return this.#leave({ finishReason: "max-steps" });
    const isAnswer = finishReason === "pause" || finishReason === "tool-calls";
    return this.#leave({ finishReason: isAnswer ? "stop" : finishReason });
  }

  async #fail(outcome: Exclude<StreamOutcome, { type: "completed" }>): Promise<Step | End> {
    if (outcome.type === "aborted") return this.#breakOff("aborted", undefined);
    const turn = this.#turn;
    const { thrown } = outcome;
    const { route } = turn;
    if (route?.takesOver(thrown) === true) {
      this.#step.takeovers++;
      await this.#discard(thrown, 0);
      return (await turn.limit()) ?? this.#tryAgain(turn);
    }
    const chance = turn.input.clock?.random && (() => turn.surroundings.random() ?? 1);
    const tries = this.#number - this.#step.takeovers;
    const delayMs = retryDelay(thrown, tries, turn.limits.retry, chance);
    if (delayMs !== undefined) {
      route?.startOver(thrown);
      await this.#discard(thrown, delayMs);
      await turn.wait(delayMs);
      return (await turn.limit()) ?? this.#tryAgain(turn);
    }
    const replacement = this.#mayReplaceContext(thrown)
      ? await this.#askOnOverflow(thrown)
      : undefined;
    if (turn.abort.isAborted) return this.#breakOff("aborted", undefined);
    if (replacement === undefined) return this.#makeRoom(thrown);
    this.#step.contextReplacements++;
    turn.transcript.replaceContext(replacement);
    await this.#discard(thrown, 0);
    return this.#tryAgain(turn);
  }

  /** Keeps the error, unless it reports that the request was too long and there is room after all. */
  async #makeRoom(thrown: unknown): Promise<Step | End> {
    const turn = this.#turn;
    const room = isOverflow(thrown) ? await this.#askForRoom(thrown) : undefined;
    if (turn.abort.isAborted) return this.#breakOff("aborted", undefined);
    if (room === undefined) return this.#breakOff("error", thrown);
    await this.#discard(thrown, 0);
    if (room !== true) return { finishReason: toReason("makeRoom", room) };
    turn.transcript.renewContext();
    return (await turn.limit()) ?? this.#tryAgain(turn);
  }

  /** If `makeRoom` fails, the error of the attempt stands. */
  async #askForRoom(thrown: unknown): Promise<Room> {
    const { makeRoom } = this.#turn.context;
    if (makeRoom === undefined) return undefined;
    try {
      return await this.#turn.callbacks.callUntimed("makeRoom", () =>
        makeRoom(serializeError(thrown)),
      );
    } catch (failure) {
      if (!this.#turn.abort.isAborted) this.#turn.log("warn", serializeError(failure).message);
      return undefined;
    }
  }

  /** One replacement is enough for any error, except for rejected parts: vendors name one at a time. */
  #mayReplaceContext(thrown: unknown): boolean {
    const isRejection = isInstance(thrown, ProviderError) && thrown.rejected !== undefined;
    return this.#step.contextReplacements < (isRejection ? maxRejections : 1);
  }

  /** Returns another context for one more attempt. If `onOverflow` fails, the error of the attempt stands. */
  async #askOnOverflow(thrown: unknown): Promise<readonly ChatMessage[] | undefined> {
    const { onOverflow } = this.#turn.context;
    if (onOverflow === undefined) return undefined;
    try {
      const messages = await this.#turn.callbacks.call("onOverflow", () =>
        onOverflow(serializeError(thrown), this.#turn.transcript.context()),
      );
      if (messages === undefined || Array.isArray(messages)) return messages;
      throw wrongValue("onOverflow", messages, "a list of messages or undefined");
    } catch (failure) {
      // After an abort `onOverflow` has not failed: the abort ended the wait.
      if (!this.#turn.abort.isAborted) this.#turn.log("warn", serializeError(failure).message);
      return undefined;
    }
  }

  /** Ends the step with a partial reply. No other attempt follows. */
  #breakOff(finishReason: "aborted" | "error", thrown: unknown): Outcome {
    const isError = finishReason === "error";
    const content = this.#reply.partialContent(!isError);
    const message = this.#message(content, finishReason);
    const end: Draft<End> = { finishReason };
    if (isError) end.error = message.error = serializeError(thrown);
    return content.length > 0 ? this.#commit(message) : this.#leave(end);
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
    this.#endSpan(message.stopReason, message.error);
    turn.record({ type: "message", step: number, message }, () => {
      turn.transcript.push(message);
      turn.steps++;
      turn.step = step;
    });
    if (pending.length > 0) turn.record({ type: "pending", step: number, pending });
    const ended = this.#ended(outcomeOf(message.stopReason), message.error);
    turn.record(ended, () => turn.endAttempt(ended));
    return turn.afterFlush(step);
  }

  /** Ends the step without a message, and with it the turn. */
  #leave(end: End): End | Promise<End> {
    const turn = this.#turn;
    const { finishReason, error } = end;
    this.#endSpan(this.#reply.finishReason ?? finishReason, error);
    const ended = this.#ended(outcomeOf(finishReason), error);
    turn.record(ended, () => {
      turn.steps++;
      turn.endAttempt(ended);
    });
    return turn.afterFlush(end);
  }

  #endSpan(stopReason: FinishReason, error: SerializedError | undefined): void {
    if (this.#span === undefined) return;
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

interface Asked {
  readonly provider: ProviderContract;
  readonly options: ProviderStreamOptions | undefined;
}

function plain({ provider, providerOpts: options }: RunTurnInput): Asked {
  return { provider, options };
}

function routed({ model: { provider }, options }: Route): Asked {
  return { provider, options };
}

async function failed(thrown: unknown): Promise<never> {
  throw thrown;
}

/** Checks the shape: the error may come from another copy of the package. */
function isOverflow(thrown: unknown): boolean {
  return serializeError(thrown).code === "context_overflow";
}

function outcomeOf(stopReason: FinishReason): AttemptEnded["outcome"] {
  if (stopReason === "aborted") return "aborted";
  return stopReason === "error" ? "failed" : "completed";
}
