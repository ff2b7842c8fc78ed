/** State of one running turn. The phases of the loop share it; none of it outlives the turn. */
import { TurnAbort } from "../effects/abort.ts";
import { CallLimits } from "../calls/call-limits.ts";
import { Callbacks, toReason } from "../effects/callbacks.ts";
import { isPromise, toPromise } from "../effects/is-promise.ts";
import type {
  FinishReason,
  SerializedError,
  Usage,
  UserMessage,
} from "../contracts/conversation.ts";
import type { AgentEvent, EventIds, PendingCall, StepTiming } from "../contracts/events.ts";
import type { LoopGuards } from "../contracts/guards.ts";
import type { Fact } from "../contracts/journal.ts";
import type { Span } from "../contracts/logging.ts";
import type {
  Deadlines,
  LoopContext,
  LoopJournal,
  LoopLimits,
  Room,
  StepChanges,
} from "../contracts/loop.ts";
import type { TurnProgress } from "../contracts/progress.ts";
import type { RunTurnInput } from "../contracts/runtime.ts";
import type { ToolContract } from "../contracts/tool.ts";
import type { Draft } from "../effects/draft.ts";
import type { TurnError } from "../errors/errors.ts";
import { serializeError } from "../errors/errors.ts";
import type { LastReply, ShownFact, ShownTurn, UnfinishedStep } from "../journal/show-fact.ts";
import { showFact } from "../journal/show-fact.ts";
import type { Effect } from "../journal/outbox.ts";
import { Outbox, unrecorded } from "../journal/outbox.ts";
import { observe, quietly } from "../effects/quietly.ts";
import { Target } from "../reply/target.ts";
import { Spans } from "../effects/spans.ts";
import type { Step } from "../calls/step.ts";
import type { CancelTimer } from "../effects/surroundings.ts";
import { Surroundings } from "../effects/surroundings.ts";
import { Transcript } from "./transcript.ts";
import { addUsage } from "../effects/usage.ts";
import { Watchdog } from "../reply/watchdog.ts";

/** How a turn ended. */
export interface End {
  readonly finishReason: FinishReason;
  readonly error?: SerializedError;
  /** Calls that wait for an answer from outside. */
  readonly pending?: readonly PendingCall[];
}

/** A step that has started and not ended. */
export class OpenStep implements UnfinishedStep {
  readonly step: number;
  readonly span: Span | undefined;
  /** Attempts made so far, including those before a crash. */
  attempts: number;
  /** How often `onOverflow` replaced the context. */
  contextReplacements = 0;
  /** How often another model took over. */
  takeovers = 0;
  /** Time of the first failed attempt in this process, on the caller's clock. */
  failedAt: number | undefined;
  usage: Usage | undefined;
  timing: StepTiming | undefined;

  constructor(step: number, attempts: number, span?: Span) {
    this.step = step;
    this.attempts = attempts;
    this.span = span;
  }
}

/** Used if a group of the input is missing. */
const none: LoopLimits & LoopGuards & LoopContext & LoopJournal & Deadlines = {};

export class TurnState implements ShownTurn<EventIds> {
  readonly input: RunTurnInput<EventIds>;
  readonly limits: LoopLimits;
  readonly guards: LoopGuards;
  readonly context: LoopContext;
  readonly journal: LoopJournal;
  readonly conversationId: string;
  readonly turnId: string;
  readonly ids: EventIds;
  readonly surroundings: Surroundings;
  readonly abort: TurnAbort;
  /** Set only if there is a journal. */
  readonly outbox: Outbox | undefined;
  readonly watchdog: Watchdog | undefined = undefined;
  readonly startedAt: number | undefined;
  readonly spans: Spans | undefined;
  readonly span: Span | undefined;
  readonly transcript: Transcript;
  /** Target of requests, unless a step has its own. */
  readonly #ownTarget: Target;
  /** Target of the requests of this step. */
  target: Target;
  #callbacks: Callbacks | undefined;
  #usage: Usage = {};
  #unreportedAttempts = 0;
  /** Sum of both, once it was requested. */
  #total: Usage | undefined;
  /** True during the closing step: no more tool calls are allowed. */
  isClosing = false;
  /** Steps and attempts of the whole chain. */
  steps: number;
  attempts: number;
  /** Step whose calls are not settled yet. */
  step: Step | undefined;
  /** Step whose start was shown, but not its end. */
  underWay: OpenStep | undefined;
  /** Set if the journal failed. From then on nothing takes effect and nothing is shown. */
  failure: TurnError | undefined;
  /** Listener that waits for something else and must know when `failure` is set. */
  onFailure: { onFailure(): void } | undefined;
  #timersLeft: CancelTimer[] | undefined;
  #callLimits: CallLimits | undefined;
  #attemptsInStep: number;

  constructor(input: RunTurnInput<EventIds>, ids: EventIds) {
    this.input = input;
    const { limits = none, guards = none, context = none, journal = none } = input;
    this.limits = limits;
    this.guards = guards;
    this.context = context;
    this.journal = journal;
    const { deadlines = none } = limits;
    this.conversationId = input.conversationId;
    this.turnId = input.turnId;
    // A copy that starts as `{}` has room for two more fields, so that `{ ...ids, type, delta }` is one allocation.
    this.ids = Object.assign({}, ids);
    const { turnMs = Infinity } = deadlines;
    this.abort = new TurnAbort(input.signal, turnMs !== Infinity);
    this.surroundings = new Surroundings(input);
    const cancel = this.surroundings.setTimer(turnMs, () => this.abort.expire());
    if (cancel !== undefined) this.clearAtEnd(cancel);
    this.outbox = journal.record && new Outbox(journal.record, this.callbacks, this);
    this.startedAt = this.surroundings.now();
    if (this.surroundings.hasTimer) this.watchdog = new Watchdog(this.surroundings, deadlines);
    const { prior, open } = journal;
    this.steps = prior?.steps ?? (open === undefined ? 0 : 1);
    this.attempts = prior?.attempts ?? 0;
    this.#attemptsInStep = prior?.attemptsInStep ?? 0;
    this.transcript = new Transcript(
      input.messages,
      input.input,
      context.project,
      input.journal?.leftOut,
    );
    this.#ownTarget = new Target(input, prior?.asked);
    this.target = this.#ownTarget;
    this.spans = input.logger && new Spans(input.logger);
    this.span = this.spans?.start("turn", {
      conversationId: input.conversationId,
      turnId: input.turnId,
      trace: input.trace,
    });
  }

  get callbacks(): Callbacks {
    const limitMs = this.limits.deadlines?.callbackMs ?? 30_000;
    return (this.#callbacks ??= new Callbacks(this.surroundings, limitMs, this.abort, this));
  }

  /** Calls a function of the caller within the span of the turn, if there is one. */
  within<T>(call: () => T): T {
    return this.spans === undefined ? call() : this.spans.within(this.span, call);
  }

  /** True if the turn may have no further effect. */
  get isStopped(): boolean {
    return this.abort.isAborted || this.failure !== undefined;
  }

  /** Shows an event. A listener's failure does not affect the turn. */
  emit(event: AgentEvent<EventIds>): void {
    if (this.failure !== undefined) return;
    try {
      // The type does not allow an async listener, but its rejection must not end the process.
      const returned: unknown = this.input.emit(event);
      if (returned !== undefined && isPromise(returned)) observe(returned);
    } catch {
      // The turn continues for its other readers.
    }
  }

  /** Shows the events of a fact, unless the caller shows them from its own log. */
  show(fact: ShownFact): void {
    if (this.journal.isShown !== true) showFact(fact, this);
  }

  /** Queues a fact for the journal's next `flush`; once stored, it is shown and takes effect. Without a journal that happens immediately. */
  record(fact: Fact, effect?: Effect, isFollowed = false): void {
    if (this.outbox === undefined) this.onRecorded(fact, effect);
    else this.outbox.add(fact, effect, isFollowed);
  }

  /** Whether the end of the turn follows an answer without a callback that may take time. */
  get isEndedAtOnce(): boolean {
    return this.input.onStepComplete === undefined && this.limits.checkAnswer === undefined;
  }

  /** Whether the next request follows a settled step without a callback that may take time. */
  get isContinuedAtOnce(): boolean {
    const { context, limits, guards, input } = this;
    return (
      input.onStepComplete === undefined &&
      limits.stopWhen === undefined &&
      guards.input === undefined &&
      context.prepareStep === undefined &&
      context.transformContext === undefined &&
      context.convertToLlm === undefined
    );
  }

  /** Like `record`, for a message that the loop writes on behalf of the user. */
  recordMessage(message: UserMessage, step: number = this.steps): void {
    this.record({ type: "message", step, message }, () => {
      this.endStep();
      this.transcript.push(message);
    });
  }

  /** Records the queued facts in one call. Returns a promise only if the journal did. */
  flush(): Promise<void> | undefined {
    return this.outbox?.flush();
  }

  onRecorded(fact: Fact, effect: Effect | undefined): void {
    // Readers of the end may export the spans and exit.
    if (fact.type === "turn_ended") this.endSpans(fact);
    this.show(fact);
    effect?.();
  }

  /** Returns the value once all recorded facts are stored; rejects if they are not. */
  afterFlush<T>(value: T): T | Promise<T> {
    const flushed = this.flush();
    if (flushed === undefined && this.failure === undefined) return value;
    return Promise.resolve(flushed).then(() => {
      this.throwIfFailed();
      return value;
    });
  }

  throwIfFailed(): void {
    if (this.failure !== undefined) throw this.failure;
  }

  /** Returns why no further request may be made, if there is a reason. */
  limit(): End | undefined | Promise<End | undefined> {
    if (this.abort.isAborted) return { finishReason: "aborted" };
    const { checkLimits } = this.limits;
    if (checkLimits !== undefined) {
      const reached = this.callbacks.call("checkLimits", () => checkLimits(this.progress()));
      if (isPromise(reached)) return reached.then((reason) => this.#limitOf(reason));
      return this.#limitOf(reached);
    }
    return this.#limitOf(undefined);
  }

  #limitOf(reached: FinishReason | undefined): End | undefined {
    const { maxSteps = Infinity } = this.limits;
    if (reached !== undefined) return { finishReason: toReason("checkLimits", reached) };
    const hasSteps = this.isClosing || this.steps < maxSteps;
    return hasSteps ? undefined : { finishReason: "max-steps" };
  }

  /** Returns how the turn ends before the next request, because the request would not fit, or because making room has spent a budget. */
  makeRoom(): End | undefined | Promise<End | undefined> {
    const { makeRoom } = this.context;
    if (makeRoom === undefined) return undefined;
    const room = this.callbacks.callUntimed("makeRoom", makeRoom);
    if (isPromise(room)) return room.then((made) => this.#afterRoom(made));
    return room === undefined ? undefined : this.#afterRoom(room);
  }

  #afterRoom(room: Room): End | undefined | Promise<End | undefined> {
    if (room === undefined) return undefined;
    if (room !== true) return { finishReason: toReason("makeRoom", room) };
    this.transcript.renewContext();
    return this.limit();
  }

  /** Returns a promise if other work must run first. */
  breathe(): Promise<void> | undefined {
    const breathe = this.input.clock?.breathe;
    if (breathe === undefined) return undefined;
    const pause = quietly(breathe);
    // A pause that fails has ended.
    return isPromise(pause) ? toPromise(pause).catch(() => {}) : undefined;
  }

  /** Waits on the injected timer, but not past an abort; without a timer it does not wait. */
  async wait(ms: number): Promise<void> {
    if (ms <= 0 || this.abort.isAborted) return;
    await new Promise<void>((resolve) => {
      const listener = {
        onAbort: (): void => {
          this.surroundings.clearTimer(cancel);
          resolve();
        },
      };
      const cancel = this.surroundings.setTimer(ms, () => {
        this.abort.removeListener(listener);
        resolve();
      });
      if (cancel === undefined) resolve();
      else this.abort.addListener(listener);
    });
  }

  /** Milliseconds since the turn began, if there is a clock. */
  duration(): number | undefined {
    const now = this.surroundings.now();
    return now === undefined || this.startedAt === undefined ? undefined : now - this.startedAt;
  }

  get reply(): LastReply | undefined {
    return this.step?.calls;
  }

  startStep(): OpenStep {
    const step = this.steps + 1;
    const span = this.spans?.start("step", { step }, this.span);
    const underWay = new OpenStep(step, this.#attemptsInStep, span);
    this.underWay = underWay;
    this.#attemptsInStep = 0;
    this.target.route?.startStep();
    return underWay;
  }

  /** Whether the next step has made a request before, in another process. */
  get isStepAsked(): boolean {
    return this.#attemptsInStep > 0;
  }

  /** Sets what the next step asks. */
  prepareStep(changes: StepChanges): void {
    const { prior } = this.journal;
    // A step that was under way when its process ended continues with the model that it asked.
    const isResumed = prior?.prepared?.step === this.steps + 1;
    this.target = this.#ownTarget.withChanges(changes, isResumed ? prior?.asked : undefined);
  }

  /** Ends the last attempt of the step. The step ends too, unless calls or the end of the turn follow in it. */
  endAttempt({ outcome, usage, timing }: Extract<Fact, { type: "attempt_ended" }>): void {
    const { underWay, reply } = this;
    if (underWay === undefined) return;
    underWay.usage = usage;
    underWay.timing = timing;
    if (reply === undefined ? outcome !== "completed" : reply.isEmpty) this.endStep();
  }

  endStep(): void {
    this.underWay?.span?.end();
    this.underWay = undefined;
  }

  newMessageId(): string {
    return this.surroundings.newId() ?? `${this.turnId}_${this.transcript.length}`;
  }

  newCallId(messageId: string, index: number): string {
    return this.surroundings.newId() ?? `${messageId}_${index}`;
  }

  findTool(name: string): ToolContract | undefined {
    return this.target.tools.find((tool) => tool.name === name);
  }

  /** Total over all attempts of this turn and its tools. */
  get usage(): Usage {
    if (this.#unreportedAttempts === 0) return this.#usage;
    const unreported = { unreportedAttempts: this.#unreportedAttempts };
    return (this.#total ??= addUsage(this.#usage, unreported));
  }

  countAttempt(usage: Usage | undefined): void {
    if (usage !== undefined) return this.countUsage(usage);
    this.#unreportedAttempts++;
    this.#total = undefined;
  }

  countUsage(usage: Usage): void {
    this.#usage = addUsage(this.#usage, usage);
    this.#total = undefined;
  }

  /** Progress of the whole chain so far. */
  progress(): TurnProgress {
    const { prior } = this.journal;
    const { steps, attempts, usage } = this;
    const progress: Draft<TurnProgress> = {
      steps,
      attempts,
      usage: prior === undefined ? usage : addUsage(prior.usage, usage),
    };
    const startedAt = prior?.startedAt ?? this.startedAt;
    if (startedAt !== undefined) progress.startedAt = startedAt;
    const { route } = this.target;
    if (route !== undefined) progress.asked = route.asked;
    return progress;
  }

  log(level: "warn", message: string): void {
    const { logger, conversationId, turnId } = this.input;
    quietly(() => logger?.log(level, message, { conversationId, turnId }));
  }

  /** Makes sure that a timer does not outlive the turn. */
  clearAtEnd(cancel: CancelTimer): void {
    (this.#timersLeft ??= []).push(cancel);
  }

  endSpans({ finishReason, error }: Pick<End, "finishReason" | "error">): void {
    this.span?.setAttributes({ finishReason });
    this.spans?.endAll(error);
  }

  get callLimits(): CallLimits {
    return (this.#callLimits ??= new CallLimits(this.surroundings));
  }

  close(): void {
    for (const cancel of this.#timersLeft ?? []) this.surroundings.clearTimer(cancel);
    this.abort.close();
    this.watchdog?.close();
    this.#callLimits?.close();
  }

  /** Called if something failed between a result and its record. */
  failWith(thrown: unknown): void {
    this.fail(unrecorded(thrown));
  }

  /** Called if the journal failed. */
  fail(error: TurnError): void {
    if (this.failure !== undefined) return;
    this.show({ type: "turn_failed", error: serializeError(error) });
    this.failure = error;
    this.abort.release();
    this.onFailure?.onFailure();
  }
}
