/** The tool calls of one step: decides which run when, and gives each exactly one result. */
import type { StepOfCall } from "./advance-call.ts";
import {
  advanceCall,
  recordResult,
  refuseCall,
  startTogether,
  takeResult,
  takeSuspension,
} from "./advance-call.ts";
import type { AbortListener } from "../effects/abort.ts";
import { CallRun } from "./call-run.ts";
import { isPromise } from "../effects/is-promise.ts";
import type { AssistantMessage, ToolCallPart, ToolMessage } from "../contracts/conversation.ts";
import type { PendingCall } from "../contracts/events.ts";
import type { OpenCall } from "../contracts/progress.ts";
import type { ToolResult } from "../contracts/tool.ts";
import type { LastReply } from "../journal/show-fact.ts";
import type { Gate } from "./gate.ts";
import { gateCall } from "./gate.ts";
import { NestedCalls } from "./nested-calls.ts";
import { quietly } from "../effects/quietly.ts";
import type { Suspension } from "./suspend.ts";
import {
  errorResult,
  interruptedBefore,
  interruptedResult,
  refusal,
  toToolMessage,
} from "./tool-result.ts";
import { cleanResult } from "./tool-return.ts";
import type { TurnState } from "../turn/turn-state.ts";

export class StepCalls implements AbortListener, StepOfCall, LastReply {
  readonly turn: TurnState;
  readonly step: number;
  readonly message: AssistantMessage;
  readonly runs: readonly CallRun[];
  /** Calls that have started and have no recorded result yet. */
  #running = 0;
  /** Calls without a recorded result. */
  #unsettled: number;
  /** Created once: the events and the transcript share them. */
  #messages: readonly ToolMessage[] | undefined;
  #wake: (() => void) | undefined;
  /** Created on first use: most steps have few calls, which are not looked up. */
  #byId: ReadonlyMap<string, CallRun> | undefined;
  /** True once a call of this step was let through: from then on steering may skip the others. */
  #hasBegun = false;

  constructor(turn: TurnState, step: number, message: AssistantMessage) {
    this.turn = turn;
    this.step = step;
    this.message = message;
    this.runs = message.content
      .filter((part) => part.type === "tool_call" && part.isProviderExecuted !== true)
      // The filter leaves only tool calls.
      .map((part) => new CallRun(part as ToolCallPart, turn.findTool((part as ToolCallPart).name)));
    this.#unsettled = this.runs.length;
  }

  get isEmpty(): boolean {
    return this.runs.length === 0;
  }

  get isSettled(): boolean {
    return this.#unsettled === 0;
  }

  get isDecided(): boolean {
    return this.runs.every((run) => run.isDecided);
  }

  get hasWaiting(): boolean {
    return this.runs.some((run) => run.isWaiting);
  }

  get isTerminal(): boolean {
    return this.runs.length > 0 && this.runs.every((run) => run.result?.isTerminal === true);
  }

  /** Calls that wait for an answer from outside. */
  pending(): PendingCall[] {
    return this.runs.flatMap((run) => run.pending);
  }

  /** Results as messages, in call order. If the turn failed first, a result states that. */
  messages(): readonly ToolMessage[] {
    return (this.#messages ??= this.runs.map((run) =>
      toToolMessage(run.call, run.result ?? abandonedResult(run)),
    ));
  }

  /** Results so far as messages, in call order. */
  settledMessages(): readonly ToolMessage[] {
    return this.runs.flatMap((run) =>
      run.result === undefined ? [] : [toToolMessage(run.call, run.result)],
    );
  }

  isLast(): boolean {
    return this.#unsettled === 1;
  }

  messagesWith(): readonly ToolMessage[] {
    return this.messages();
  }

  toOpen(): OpenCall[] {
    return this.runs.map((run) => run.toOpen());
  }

  /** Applies what the caller knows about the calls when the turn enters the step. */
  enter(calls: readonly OpenCall[]): void {
    for (const open of calls) this.#find(open.toolCallId)?.assume(open);
    this.#unsettled = this.runs.filter((run) => run.state.stage !== "settled").length;
  }

  /** Asks for answers to pending calls. Returns whether any arrived. */
  async takeAnswers(): Promise<boolean> {
    const { answers } = this.turn.journal;
    if (answers === undefined) return false;
    let hasNews = false;
    for (const answer of await this.turn.callbacks.call("answers", answers)) {
      const run = this.#find(answer.toolCallId);
      if (run === undefined || !run.isAnsweredBy(answer)) continue;
      run.assume(answer);
      hasNews = true;
    }
    return hasNews;
  }

  /** Remote calls that need no approval become pending as soon as their message is recorded. */
  waitAtOnce(): readonly PendingCall[] {
    for (const run of this.runs) {
      if (run.tool === undefined || run.tool.execute !== undefined) continue;
      const gate = this.#gateAtOnce(run);
      if (gate?.action === "wait") run.wait(gate.pending);
    }
    return this.pending();
  }

  /** Starts all calls together with the record of their message, if nothing decides about them in between and they may all run at once. */
  startAtOnce(): void {
    const { turn, runs } = this;
    const { before, mode, maxParallel = 8, steering } = turn.input.dispatch;
    if (turn.outbox === undefined || before !== undefined || runs.length > maxParallel) return;
    const isOrdered = mode === "sequential" || steering === "skip-remaining";
    const isAlone = runs.length === 1;
    const isBarrier = runs.some(({ tool }) => tool?.execution === "sequential");
    if (isAlone || !(isOrdered || isBarrier)) startTogether(this, runs);
  }

  /** Gives every undecided call an error result, without running it. */
  refuseAll(reason: string): Promise<void> | undefined {
    for (const run of this.runs) refuseCall(this, run, reason);
    return this.turn.flush();
  }

  /** Like `refuseAll`, for a turn that stops here. Answers that have arrived are not lost. */
  async abandon(reason: string): Promise<void> {
    for (const run of this.runs) {
      const { state } = run;
      if (state.stage === "answered") takeResult(this, run, cleanResult(state.result));
    }
    while (this.#isBusy(0)) await this.#change();
    await this.refuseAll(reason);
  }

  /** Settles all calls that can be settled here. Calls that are pending afterwards wait for an answer. */
  async settle(): Promise<void> {
    const turn = this.turn;
    turn.abort.addListener(this);
    turn.onFailure = this;
    // Calls that were started with their message may be running.
    if (turn.abort.isAborted && this.#running > 0) this.onAbort();
    try {
      do {
        // By index: an iterator that lives across awaits costs as much as the rest of the loop.
        for (let index = 0; index < this.runs.length; index++) {
          const run = this.runs[index];
          if (run?.isActionable !== true) continue;
          const pause = turn.breathe();
          if (pause !== undefined) await pause;
          const maxOthers = this.#maxOthersBeside(run);
          while (this.#isBusy(maxOthers)) await this.#change();
          if (turn.isStopped) break;
          const advanced = this.#advance(run);
          if (advanced !== undefined) await advanced;
          if (maxOthers === 0) while (this.#isBusy(0)) await this.#change();
        }
        const flushed = turn.flush();
        if (flushed !== undefined) await flushed;
        while (this.#isBusy(0)) await this.#change();
      } while (!turn.isStopped && this.hasWaiting && (await this.takeAnswers()));
      if (turn.abort.isAborted) await this.abandon(interruptedBefore(turn.abort));
    } finally {
      turn.abort.removeListener(this);
      turn.onFailure = undefined;
      if (turn.failure !== undefined) this.#stopAll();
    }
  }

  #stopAll(): void {
    for (const { state } of this.runs) if (state.stage === "running") state.execution.stop();
  }

  /** How many calls may be running when this one starts. */
  #maxOthersBeside(run: CallRun): number {
    const { mode, maxParallel = 8 } = this.turn.input.dispatch;
    const isBarrier = mode === "sequential" || run.tool?.execution === "sequential";
    return isBarrier ? 0 : Math.max(1, maxParallel) - 1;
  }

  /** Whether more calls are running. An abort waits for them, for the grace period; a failed journal does not. */
  #isBusy(maxOthers: number): boolean {
    return this.#running > maxOthers && this.turn.failure === undefined;
  }

  /** Resolves the next time a call settles or the turn stops. Flushes the journal first. */
  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      const flushed = this.turn.flush();
      // If the journal answered synchronously, calls may have settled just now.
      if (flushed === undefined) return;
      flushed.then(resolve, resolve);
    });
  }

  /** Advances one call, unless steering skips it. Returns a promise only if a callback does. */
  #advance(run: CallRun): Promise<void> | undefined {
    if (run.state.stage !== "fresh" || !this.#isSkipping()) return advanceCall(this, run);
    refuseCall(this, run, refusal.skipped);
    return undefined;
  }

  takeResult(run: CallRun, result: ToolResult): void {
    takeResult(this, run, result);
  }

  takeSuspension(run: CallRun, suspension: Suspension, isNested: boolean): void {
    takeSuspension(this, run, suspension, isNested);
  }

  nest(run: CallRun): NestedCalls {
    return new NestedCalls(this.turn, this.step, run);
  }

  onStart(): void {
    this.#running++;
  }

  onRelease(): void {
    this.#running--;
    this.#wake?.();
  }

  onSettle(wasRunning: boolean): void {
    this.#unsettled--;
    if (wasRunning) this.#running--;
    this.#wake?.();
  }

  onFailure(): void {
    this.#wake?.();
  }

  /** Running tools have the signal; tools that do not honour it in time are given up. */
  onAbort(): void {
    const { surroundings, input, abort } = this.turn;
    const giveUp = (): void => {
      for (const run of this.runs) {
        if (isInEffect(run)) recordResult(this, run, interruptedResult(run.tool, abort));
      }
    };
    const cancel = surroundings.setTimer(input.dispatch.graceMs ?? 1_000, giveUp);
    if (cancel === undefined) giveUp();
    else this.turn.clearAtEnd(cancel);
    this.#wake?.();
  }

  #gateAtOnce(run: CallRun): Gate | undefined {
    // Hooks run in call order, and the message does not wait for them.
    if (this.turn.input.dispatch.before !== undefined) return undefined;
    // A promise, or a failure, is handled when the call's turn comes.
    const gate = quietly(() => gateCall(this.turn, run, this.step));
    if (!isPromise(gate)) return gate;
    run.expect(gate);
    return undefined;
  }

  /** Whether the user has sent a message since the batch began, so that the rest of the batch is skipped. */
  #isSkipping(): boolean {
    const { dispatch } = this.turn.input;
    const { hasSteering } = this.turn.journal;
    if (dispatch.steering !== "skip-remaining" || !this.#hasBegun) {
      this.#hasBegun = true;
      return false;
    }
    // If `hasSteering` fails, nothing is lost: queued messages are drained after the batch.
    return quietly(() => hasSteering?.()) === true;
  }

  #find(toolCallId: string): CallRun | undefined {
    this.#byId ??= new Map(this.runs.map((run) => [run.call.id, run]));
    return this.#byId.get(toolCallId);
  }
}

/** Whether the call may have had an effect that is not known here. */
function isInEffect({ state }: CallRun): boolean {
  return state.stage === "running" || state.stage === "reviewing";
}

function abandonedResult(run: CallRun): ToolResult {
  if (isInEffect(run)) return interruptedResult(run.tool);
  return errorResult(run.hadStarted ? refusal.unknownOutcome : refusal.notRun);
}
