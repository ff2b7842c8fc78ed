/** The tool calls of one step: decides which run when, and gives each exactly one result. */
import type { AbortListener } from "../effects/abort.ts";
import { intentFact, resultFact } from "./call-facts.ts";
import type { RunningCall } from "./call-run.ts";
import { CallRun } from "./call-run.ts";
import { isAbortedCallback } from "../effects/callbacks.ts";
import { isPromise } from "../effects/is-promise.ts";
import type { AssistantMessage, ToolCallPart, ToolMessage } from "../contracts/conversation.ts";
import type { PendingCall } from "../contracts/events.ts";
import type { OpenCall } from "../contracts/progress.ts";
import type { ToolResult } from "../contracts/tool.ts";
import type { LastReply } from "../journal/events-of-fact.ts";
import type { ResultTaker } from "./execution.ts";
import { Execution } from "./execution.ts";
import type { Gate } from "./gate.ts";
import { gateCall } from "./gate.ts";
import { quietly } from "../effects/quietly.ts";
import { recoverCall } from "./recover-call.ts";
import { reviewResult } from "./review.ts";
import { idempotencyKey } from "./tool-context.ts";
import {
  deniedResult,
  errorResult,
  interruptedBefore,
  interruptedResult,
  refusal,
  thrownResult,
  toToolMessage,
} from "./tool-result.ts";
import { cleanResult } from "./tool-return.ts";
import type { TurnState } from "../turn/turn-state.ts";

export class StepCalls implements AbortListener, ResultTaker, LastReply {
  readonly step: number;
  readonly message: AssistantMessage;
  readonly runs: readonly CallRun[];
  readonly #turn: TurnState;
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
    this.#turn = turn;
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

  get hasWaiting(): boolean {
    return this.runs.some((run) => run.pending !== undefined);
  }

  get isTerminal(): boolean {
    return this.runs.length > 0 && this.runs.every((run) => run.result?.isTerminal === true);
  }

  /** Calls that wait for an answer from outside. */
  pending(): PendingCall[] {
    return this.runs.flatMap((run) => run.pending ?? []);
  }

  /** Results as messages, in call order. If the turn failed first, a result states that. */
  messages(): readonly ToolMessage[] {
    return (this.#messages ??= this.runs.map((run) =>
      toToolMessage(run.call, run.result ?? abandonedResult(run)),
    ));
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
    const { answers } = this.#turn.journal;
    if (answers === undefined) return false;
    let hasNews = false;
    for (const answer of await this.#turn.callbacks.call("answers", answers)) {
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

  /** Gives every undecided call an error result, without running it. */
  refuseAll(reason: string): Promise<void> | undefined {
    for (const run of this.runs) this.#refuse(run, reason);
    return this.#turn.flush();
  }

  /** Like `refuseAll`, for a turn that stops here. Answers that have arrived are not lost. */
  async abandon(reason: string): Promise<void> {
    for (const run of this.runs) {
      const { state } = run;
      if (state.stage === "answered") this.takeResult(run, cleanResult(state.result));
    }
    while (this.#isBusy(0)) await this.#change();
    await this.refuseAll(reason);
  }

  /** Settles all calls that can be settled here. Calls that are pending afterwards wait for an answer. */
  async settle(): Promise<void> {
    const turn = this.#turn;
    turn.abort.addListener(this);
    turn.onFailure = this;
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
    const { mode, maxParallel = 8 } = this.#turn.input.dispatch;
    const isBarrier = mode === "sequential" || run.tool?.execution === "sequential";
    return isBarrier ? 0 : Math.max(1, maxParallel) - 1;
  }

  /** Whether more calls are running. An abort waits for them, for the grace period; a failed journal does not. */
  #isBusy(maxOthers: number): boolean {
    return this.#running > maxOthers && this.#turn.failure === undefined;
  }

  /** Resolves the next time a call settles or the turn stops. Flushes the journal first. */
  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      const flushed = this.#turn.flush();
      // If the journal answered synchronously, calls may have settled just now.
      if (flushed === undefined) return;
      flushed.then(resolve, resolve);
    });
  }

  /** Advances one call until it runs, waits or is decided. Returns a promise only if a callback does. */
  #advance(run: CallRun): Promise<void> | undefined {
    const { state } = run;
    switch (state.stage) {
      case "fresh":
        if (!this.#isSkipping()) return this.#gate(run, state.gate);
        this.#refuse(run, refusal.skipped);
        return undefined;
      case "started":
        return this.#recover(run);
      case "denied":
        this.#record(run, deniedResult(state.reason));
        return undefined;
      case "answered":
        this.takeResult(run, cleanResult(state.result));
        return undefined;
      default:
        return this.#gate(run);
    }
  }

  #gate(run: CallRun, decision?: Promise<Gate>): Promise<void> | undefined {
    try {
      const gate = decision ?? gateCall(this.#turn, run, this.step);
      if (!isPromise(gate)) this.#pass(run, gate);
      else {
        return gate.then(
          (decided) => this.#pass(run, decided),
          (thrown: unknown) => this.#failGate(run, thrown),
        );
      }
    } catch (thrown) {
      this.#failGate(run, thrown);
    }
    return undefined;
  }

  /** After an abort the call stays as it is: it is refused together with the others. */
  #failGate(run: CallRun, thrown: unknown): void {
    if (!isAbortedCallback(thrown)) this.#record(run, thrownResult(thrown));
  }

  #pass(run: CallRun, gate: Gate): void {
    if (this.#turn.isStopped) return;
    if (gate.action === "run") return this.#start(run, gate.parsed);
    if (gate.action === "refuse") return this.#refuse(run, gate.reason);
    run.wait(gate.pending);
    this.#turn.record({ type: "pending", step: this.step, pending: [gate.pending] });
  }

  async #recover(run: CallRun): Promise<void> {
    const recovered = await recoverCall(this.#turn, run, this.step);
    if (this.#turn.isStopped) return;
    if (recovered !== "rerun") return this.takeResult(run, recovered);
    // The intent is recorded and the hooks have let the call pass: it runs with the same key and input.
    run.approve();
    await this.#gate(run);
  }

  #start(run: CallRun, parsed: unknown): void {
    const { outbox } = this.#turn;
    run.start();
    this.#running++;
    const isNoted = run.hadStarted || run.tool?.effect === "pure";
    if (isNoted || outbox === undefined) return this.#execute(run, parsed);
    run.key = idempotencyKey(this.#turn, run.call.id);
    this.#turn.record(intentFact(run, this.step, run.key), () => this.#execute(run, parsed));
  }

  #execute(run: CallRun, parsed: unknown): void {
    const turn = this.#turn;
    if (turn.isStopped) return this.#release(run);
    const { conversationId, turnId } = turn;
    const { id: toolCallId, name: toolName } = run.call;
    const { input } = run;
    // The listener may abort the turn: nothing has run until the tool is called.
    turn.emit({
      type: "tool_execution_start",
      conversationId,
      turnId,
      toolCallId,
      toolName,
      input,
    });
    if (turn.isStopped) return this.#release(run);
    const startedAt = turn.surroundings.now();
    const { step } = this;
    // A resumed step has no span in this process.
    const parent = turn.underWay?.span ?? turn.span;
    const span = turn.spans?.start("tool", { toolCallId, toolName, step }, parent);
    const execution = new Execution(turn, run, step, parsed, this);
    run.run({ stage: "running", execution, startedAt, span });
    execution.start();
  }

  /** The turn stopped just before the call would have run: the call has not run, and will not. */
  #release(run: CallRun): void {
    run.approve();
    this.#running--;
    this.#wake?.();
  }

  /** Takes a result from a tool or from outside: the hook reviews it, then it is recorded. */
  takeResult(run: CallRun, result: ToolResult): void {
    const reviewed = reviewResult(this.#turn, run, this.step, result);
    if (!isPromise(reviewed)) return this.#record(run, reviewed);
    if (!run.isUnderWay) {
      run.review();
      this.#running++;
    }
    // `reviewResult` never fails; if recording fails, the turn must fail too.
    reviewed
      .then((value) => this.#record(run, value))
      .catch((thrown: unknown) => this.#turn.failWith(thrown));
  }

  /** Decides a call without running it here. */
  #refuse(run: CallRun, reason: string): void {
    this.#record(run, errorResult(run.hadStarted ? refusal.unknownOutcome : reason));
  }

  /** Decides a call. The first result counts; it is shown after it is recorded. */
  #record(run: CallRun, result: ToolResult): void {
    if (run.isDecided) return;
    const { state, isUnderWay: wasRunning } = run;
    const turn = this.#turn;
    run.decide(result);
    const durationMs = state.stage === "running" ? this.#end(state, result) : undefined;
    if (run.usage !== undefined) turn.countUsage(run.usage);
    turn.record(resultFact(run, this.step, result, durationMs), () => {
      run.settle(result);
      this.#unsettled--;
      if (wasRunning) this.#running--;
      this.#wake?.();
    });
    // A running call settles by itself; the caller flushes the others together.
    if (wasRunning) turn.flush()?.catch(() => {});
  }

  /** Ends an execution. Returns its duration, if there is a clock. */
  #end({ execution, span, startedAt }: RunningCall, { isError }: ToolResult): number | undefined {
    execution.stop();
    span?.end(isError ? { name: "ToolError", message: "The call failed" } : undefined);
    const endedAt = startedAt === undefined ? undefined : this.#turn.surroundings.now();
    return endedAt === undefined || startedAt === undefined ? undefined : endedAt - startedAt;
  }

  onFailure(): void {
    this.#wake?.();
  }

  /** Running tools have the signal; tools that do not honour it in time are given up. */
  onAbort(): void {
    const { surroundings, input, abort } = this.#turn;
    const giveUp = (): void => {
      for (const run of this.runs) {
        if (isInEffect(run)) this.#record(run, interruptedResult(run.tool, abort));
      }
    };
    const cancel = surroundings.setTimer(input.dispatch.graceMs ?? 1_000, giveUp);
    if (cancel === undefined) giveUp();
    else this.#turn.clearAtEnd(cancel);
    this.#wake?.();
  }

  #gateAtOnce(run: CallRun): Gate | undefined {
    // Hooks run in call order, and the message does not wait for them.
    if (this.#turn.input.dispatch.before !== undefined) return undefined;
    // A promise, or a failure, is handled when the call's turn comes.
    const gate = quietly(() => gateCall(this.#turn, run, this.step));
    if (!isPromise(gate)) return gate;
    run.expect(gate);
    return undefined;
  }

  /** Whether the user has sent a message since the batch began, so that the rest of the batch is skipped. */
  #isSkipping(): boolean {
    const { dispatch } = this.#turn.input;
    const { hasSteering } = this.#turn.journal;
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
