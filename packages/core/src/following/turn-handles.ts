/** The handles of a session's turns: turns input into a turn, and lets callers follow it. */
import type { ChatMessage, TurnResponse } from "@capstan/kernel";
import { background } from "@capstan/kernel";
import type {
  Answer,
  MaybePromise,
  PlacedEvent,
  PostedBody,
  Refusal,
  SessionFold,
} from "@capstan/log";
import { andThen, isPromise, orElse, startCursor } from "@capstan/log";
import type { Agent } from "../agent/agent.ts";
import type { SendOptions } from "../input/input.ts";
import { checkMessageId, checkTurnId, settleReasonOf } from "../input/input.ts";
import { followChain } from "./follow-chain.ts";
import { withLiveEvents } from "./late-events.ts";
import { replay } from "./replay.ts";
import { traceOf } from "../platform/trace-of.ts";
import { isSameJson, withoutSender } from "../input/same-json.ts";
import { invalid, refused, taken, toSessionError } from "../errors/session-error.ts";
import type { SessionHost } from "../session/session-host.ts";
import type { SessionInbox } from "../session/session-inbox.ts";
import type { SessionRuntime } from "../host/session-runtime.ts";
import type { TurnSession } from "./session-turn.ts";
import { SessionTurn } from "./session-turn.ts";
import { toStoredOverrides } from "../input/stored-overrides.ts";
import { WaitingSends } from "./waiting-sends.ts";

export class TurnHandles implements TurnSession {
  readonly id: string;
  readonly #runtime: SessionRuntime;
  readonly #host: SessionHost;
  readonly #inbox: SessionInbox;
  /** Sends and answers that an asynchronous store has not confirmed yet. */
  #sending: Promise<unknown> | undefined;
  /** Created with the first: few sends wait. */
  #waiting: WaitingSends | undefined;

  constructor(runtime: SessionRuntime, host: SessionHost, inbox: SessionInbox) {
    this.id = runtime.id;
    this.#runtime = runtime;
    this.#host = host;
    this.#inbox = inbox;
  }

  get hasOutput(): boolean {
    try {
      return this.#agent.hasOutput;
    } catch {
      // A host may follow a turn whose agent it does not have.
      return false;
    }
  }

  /** Resolves once everything that was posted is in the log, or has failed. Sends that wait for a resumed turn are not posted yet. */
  get sending(): Promise<unknown> | undefined {
    return this.#sending;
  }

  /** Likewise, for the sends that wait, too. */
  sent(): Promise<unknown> | undefined {
    const settled = this.#waiting?.settled;
    // Almost always none waits, and callers get the events of a turn as soon as it is sent.
    return settled === undefined ? this.#sending : settled.then(() => this.#sending);
  }

  /** The turn in progress, including one that this process found unfinished. */
  current(): SessionTurn | undefined {
    const { turn, acceptedInput } = this.#fold;
    const id = turn?.isOver === false ? turn.turnId : acceptedInput?.id;
    if (id === undefined) return undefined;
    return this.#runtime.readers.findTurn(id) ?? this.#join(this.#sharedTurn(id), id);
  }

  /** The last turn of the chain that an input started; undefined if there is no such input. */
  async follow(inputId: string | undefined): Promise<SessionTurn | undefined> {
    if (this.#inbox.origin !== undefined) return undefined;
    return followChain(inputId, this.#runtime, this, () => this.#host.clock.now());
  }

  /** Without input, continues with the messages that are there. */
  sendInput(
    toInput: ((id: string) => readonly ChatMessage[]) | undefined,
    options: SendOptions,
  ): SessionTurn {
    const id = options.id ?? this.#host.newId();
    const toBody = (): PostedBody => {
      const chosen = toStoredOverrides(options);
      const { metadata, app } = options;
      const trace = traceOf(this.#agent) ?? options.trace;
      const settles = settleReasonOf(options.ifPending);
      return {
        type: "input",
        messages: toInput?.(id) ?? [],
        ...(chosen !== undefined && { options: chosen }),
        ...(metadata !== undefined && { metadata }),
        ...(app !== undefined && { app: this.#agent.toStoredApp(app) }),
        ...(settles !== undefined && { settles }),
        ...(trace !== undefined && { trace }),
      };
    };
    const known = this.#runtime.readers.findTurn(id);
    if (known !== undefined) return this.#again(known, toBody);
    const turn = this.#sharedTurn(id);
    const post = (): MaybePromise<unknown> => {
      checkTurnId(id);
      const body = toBody();
      turn.sent = body;
      const messages = body.type === "input" ? body.messages : [];
      this.#checkNew(messages, id);
      return andThen(options.id === undefined ? undefined : this.#inbox.mustBeFree(id), () => {
        this.#runtime.remember({ model: options.model });
        // An owner at work may start the turn before the post returns.
        this.#runtime.readers.expectTurn(turn);
        return this.#inbox.post(id, body);
      });
    };
    const follow = (): void => {
      if (!this.#runtime.readers.forgetExpected(turn)) return;
      this.#join(turn, this.#fold.turnIdOf(id));
    };
    const rest = this.#isKnown(id) ? undefined : this.#runtime.resumedRest();
    if (rest === undefined) return this.#track(turn, post, follow, options.signal);
    const send = (): unknown => this.#track(turn, post, follow, undefined);
    this.#waiting ??= new WaitingSends(this.id);
    this.#waiting.add(id, rest, send, (why) => turn.failUnsent(why));
    if (options.signal !== undefined) turn.abortOn(options.signal);
    return turn;
  }

  /** Whether the log has an input with this id: sending it again waits for nothing. */
  #isKnown(id: string): boolean {
    const { acceptedInput, transcript } = this.#fold;
    return acceptedInput?.id === id || this.#fold.turnIdOf(id) !== id || transcript.has(id);
  }

  /** Returns the handle that was given out for this id, if the same input is sent again. */
  #again(known: SessionTurn, toBody: () => PostedBody): SessionTurn {
    const turn = new SessionTurn(known.id, this);
    const compare = (): void => {
      if (known.sent === undefined) return;
      if (!isSameJson(withoutSender(known.sent), withoutSender(toBody()))) throw taken(known.id);
    };
    try {
      compare();
      return known;
    } catch (thrown) {
      turn.fail(thrown);
      return turn;
    }
  }

  sendAnswers(toAnswers: () => readonly Answer[], { id: key, signal }: SendOptions): SessionTurn {
    const { turn: last } = this.#fold;
    const id = last?.isOver === true ? last.nextId() : last?.turnId;
    const turn = new SessionTurn(id ?? this.#host.newId(), this);
    let isContinued = false;
    let isOfBackground = true;
    const post = async (): Promise<void> => {
      const refusals: (Refusal | undefined)[] = [];
      for (const answer of toAnswers()) {
        const posted = await this.#inbox.postAnswer(answer, key);
        refusals.push(posted.refusal);
        isContinued ||= posted.isContinued;
        isOfBackground &&= posted.isOfBackground;
      }
      const refusal = refusals.find((each) => each !== undefined && each !== "already_answered");
      if (refusal !== undefined) throw refused(this.id, refusal);
    };
    const follow = (): void => {
      if (isOfBackground) this.#leaveWaiting(turn);
      else this.#followAnswers(turn, last, isContinued);
    };
    return this.#track(turn, post, follow, signal);
  }

  /** Resolves once the abort is recorded, with false if there was nothing to abort. */
  async abortTurn(turnId: string, reason: string | undefined): Promise<boolean> {
    return this.#waiting?.end(turnId) === true || this.#cancel(turnId, reason);
  }

  async #cancel(turnId: string, reason: string | undefined): Promise<boolean> {
    if (this.#inbox.origin !== undefined) return false;
    const named = { type: "cancel_requested", turnId } as const;
    const body = reason === undefined ? named : { ...named, reason };
    const id = this.#host.newId();
    // A turn that has ended in the meantime needs no abort.
    await this.#inbox.post(id, body, "turn_over");
    this.#runtime.wake();
    return this.#runtime.log.fold.refusalOf(id) === undefined;
  }

  /** Aborts the running or suspended turn; without a turn, the requested compactions. */
  async abortUnfinished(reason: string | undefined): Promise<void> {
    const { unfinishedTurnId: turnId, compactions } = this.#fold;
    const ids = turnId === undefined ? compactions.waiting.map(({ id }) => id) : [turnId];
    for (const id of ids) await this.#cancel(id, reason);
  }

  /** Aborts without waiting for the record. Callers that need to wait use `session.abort`. */
  abortSoon(turnId: string, reason: string | undefined): void {
    if (this.#waiting?.end(turnId) === true) return;
    background(this.#abortSent(turnId, reason), () => {});
  }

  completeTurn(response: TurnResponse<never>): MaybePromise<TurnResponse> {
    return this.#agent.complete(response, this.#host.clock.timer);
  }

  onTurnOver(turn: SessionTurn): void {
    this.#runtime.readers.forgetTurn(turn);
  }

  /** Delivers the events from before the first read. */
  refillTurn(turn: SessionTurn): void {
    const show = (events: readonly PlacedEvent[]): void => {
      const own = events.filter(({ event }) => event.turnId === turn.turnId);
      turn.refill(own.flatMap(({ event }) => withLiveEvents(event)));
    };
    const join = (): void => turn.onRefilled();
    const replayed = replay(this.#runtime, startCursor, { show, join });
    background(replayed, (thrown) => turn.failRefill(toSessionError(this.id, thrown)));
  }

  get #agent(): Agent {
    return this.#host.agent(this.#fold.agent);
  }

  get #fold(): SessionFold {
    return this.#inbox.fold;
  }

  /** The answers are taken by the turn in progress, or by one that continues it; or they wait for the remaining answers. */
  #followAnswers(handle: SessionTurn, answered: SessionFold["turn"], isContinued: boolean): void {
    const { turn } = this.#fold;
    // A rewind has cut the answered calls away in the meantime.
    const isGone = answered !== undefined && turn?.isInChain(answered.turnId) !== true;
    if (isGone) return handle.fail(refused(this.id, "not_pending"));
    const action = this.#fold.nextAction(this.#host.clock.now());
    if (action.type === "continue") this.#join(handle, action.turnId);
    else if (isContinued && turn?.isSuspended === true) {
      // The child reports that it continues, and then this session does.
      this.#runtime.readers.addTurn(handle, turn.nextId());
    } else if (turn?.isSuspended === true) this.#leaveWaiting(handle);
    else this.#join(handle, turn?.turnId ?? handle.id);
  }

  /** Posts the turn to the log; if that fails, so does the turn. */
  #track(
    turn: SessionTurn,
    post: () => MaybePromise<unknown>,
    follow: () => void,
    signal: AbortSignal | undefined,
  ): SessionTurn {
    const onPosted = (): void => {
      follow();
      this.#runtime.wake();
    };
    const sent = orElse(
      () => andThen(post(), onPosted),
      (thrown) => {
        this.#runtime.readers.removeTurn(turn);
        turn.fail(toSessionError(this.id, thrown));
        this.#runtime.faults.reportUnseen(thrown, turn.id, [turn]);
      },
    );
    if (isPromise(sent)) this.#waitFor(sent);
    if (signal !== undefined) turn.abortOn(signal);
    return turn;
  }

  #waitFor(sent: Promise<void>): void {
    const all: Promise<unknown> = Promise.all([this.#sending, sent]).finally(() => {
      if (this.#sending === all) this.#sending = undefined;
    });
    this.#sending = all;
  }

  async #abortSent(turnId: string, reason: string | undefined): Promise<void> {
    await this.#sending;
    await this.#cancel(turnId, reason);
  }

  /** Handle shared by all callers that ask for this turn. Answers get their own, which may fail independently. */
  #sharedTurn(id: string): SessionTurn {
    const turn = new SessionTurn(id, this);
    this.#runtime.readers.keepTurn(turn);
    return turn;
  }

  /** Delivers the turn's events to the handle from now on, after those the log already has. */
  #join(turn: SessionTurn, turnId: string): SessionTurn {
    const { readers } = this.#runtime;
    const action = this.#fold.nextAction(this.#host.clock.now());
    const isAhead = action.type === "start" || action.type === "continue";
    if (isAhead && action.turnId === turnId) {
      readers.addTurn(turn, turnId);
      return turn;
    }
    const show = (events: readonly PlacedEvent[]): void => {
      for (const { event } of events) if (event.turnId === turnId) turn.take(event);
    };
    const join = (): void => {
      if (turn.isOver) return;
      if (turn.hasBegun || this.#isToCome(turnId)) readers.addTurn(turn, turnId);
      else turn.fail(taken(turnId));
    };
    background(replay(this.#runtime, startCursor, { show, join }), (thrown) =>
      turn.fail(toSessionError(this.id, thrown)),
    );
    return turn;
  }

  #isToCome(turnId: string): boolean {
    const { turn, acceptedInput } = this.#fold;
    return turn?.turnId === turnId || acceptedInput?.id === turnId;
  }

  /** Ids chosen by the caller must be new. The log checks the turn's own id. */
  #checkNew(messages: readonly ChatMessage[], turnId: string): void {
    for (const [index, { id }] of messages.entries()) {
      if (id === turnId && index === 0) continue;
      checkMessageId(id);
      const isTwice = messages.findIndex((other) => other.id === id) !== index;
      if (isTwice || this.#fold.transcript.has(id) || this.#fold.queues.find(id) !== undefined) {
        throw invalid(`Message id "${id}" is taken: omit the id, or choose another`);
      }
    }
  }

  /** Other calls have no answer yet, or none of this session's turns continues with the answers. */
  #leaveWaiting(turn: SessionTurn): void {
    const { pending } = this.#fold;
    const isSuspended = this.#fold.turn?.isSuspended === true;
    turn.end({
      status: isSuspended ? "awaiting_tool_execution" : "completed",
      text: "",
      hasAnswer: false,
      messages: [],
      finishReason: isSuspended ? "tool-calls" : "stop",
      usage: {},
      ...(pending.length > 0 && { pendingToolCalls: pending }),
    });
  }
}
