/** The tool calls of one step: which run when, and that each gets exactly one result. */
import { CallRun } from "./call-run.ts";
import { Interrupted, isPromise } from "./callbacks.ts";
import type { AssistantMessage, ToolCallPart } from "./contracts/conversation.ts";
import type { PendingCall } from "./contracts/events.ts";
import type { OpenCall } from "./contracts/runtime.ts";
import type { Reconciliation, ToolResult } from "./contracts/tool.ts";
import { ExecuteContext, executeCall, idempotencyKey } from "./execute.ts";
import type { Gate } from "./gate.ts";
import { gateCall } from "./gate.ts";
import { startSpan } from "./spans.ts";
import { errorResult, refusal, thrownResult, toToolResult } from "./tool-result.ts";
import type { TurnState } from "./turn-state.ts";

export class StepCalls {
  readonly runs: readonly CallRun[];
  readonly #turn: TurnState;
  readonly #step: number;
  #running = 0;
  #wake: (() => void) | undefined;

  constructor(turn: TurnState, step: number, message: AssistantMessage) {
    this.#turn = turn;
    this.#step = step;
    this.runs = message.content
      .filter(
        (part): part is ToolCallPart =>
          part.type === "tool_call" && part.isProviderExecuted !== true,
      )
      .map((call) => new CallRun(call, turn.tools.get(call.name)));
  }

  get isEmpty(): boolean {
    return this.runs.length === 0;
  }

  get isSettled(): boolean {
    return this.runs.every((run) => run.stage === "settled");
  }

  get isTerminal(): boolean {
    return this.runs.length > 0 && this.runs.every((run) => run.result?.isTerminal === true);
  }

  /** Calls that wait for somebody outside. */
  pending(): PendingCall[] {
    return this.runs.flatMap((run) =>
      run.isWaiting && run.pending !== undefined ? [run.pending] : [],
    );
  }

  toOpen(): OpenCall[] {
    return this.runs.map((run) => run.toOpen());
  }

  /** Takes over what is known of calls from outside: at entry for any call, later for waiting ones only. */
  assume(calls: readonly OpenCall[], isEntry: boolean): boolean {
    let isChanged = false;
    for (const open of calls) {
      const run = this.runs.find((candidate) => candidate.call.id === open.callId);
      const isNews = isEntry || (run?.isWaiting === true && open.state !== "pending");
      if (run === undefined || !isNews) continue;
      run.assume(open);
      isChanged = true;
    }
    return isChanged;
  }

  /** Remote calls that need nobody's consent wait from the moment on in which their message is recorded. */
  waitAtOnce(): PendingCall[] {
    if (this.#turn.input.dispatch.before !== undefined) return [];
    const pending: PendingCall[] = [];
    for (const run of this.runs) {
      if (run.tool === undefined || run.tool.execute !== undefined) continue;
      const gate = gateAtOnce(this.#turn, run, this.#step);
      if (gate?.action !== "wait") continue;
      run.stage = "pending";
      run.pending = gate.pending;
      pending.push(gate.pending);
    }
    return pending;
  }

  /** Gives every call that is not decided yet an error result, without running it. */
  refuseAll(reason: string): Promise<void> | undefined {
    for (const run of this.runs) {
      if (!run.isDecided) this.#record(run, errorResult(reason));
    }
    return this.#turn.outbox.flush();
  }

  /** Settles all that can be settled here. What is pending afterwards waits for an answer. */
  async settle(): Promise<void> {
    const turn = this.#turn;
    const stopListening = turn.abort.onAbort(() => this.#onAbort());
    turn.onFailure = () => this.#wake?.();
    try {
      do {
        const batch = this.#runBatch();
        if (batch !== undefined) await batch;
        const flushed = turn.outbox.flush();
        if (flushed !== undefined) await flushed;
        while (this.#running > 0 && turn.failure === undefined) await this.#change();
      } while (!turn.isStopped && this.takeAnswers());
      if (turn.abort.isAborted) await this.refuseAll(refusal.interruptedBefore);
    } finally {
      stopListening();
      turn.onFailure = undefined;
      if (turn.failure !== undefined) for (const run of this.runs) run.stop?.();
    }
  }

  async #runBatch(): Promise<void> {
    const turn = this.#turn;
    const { mode, maxParallel = 8, steering } = turn.input.dispatch;
    let isSkipping = false;
    let isFirst = true;
    for (const run of this.runs) {
      if (!run.isActionable) continue;
      const isBarrier = mode === "sequential" || run.tool?.execution === "sequential";
      await this.#untilRunning(isBarrier ? 0 : maxParallel - 1);
      if (turn.isStopped) return;
      if (!isFirst && steering === "skip-remaining") isSkipping ||= this.#hasSteering();
      isFirst = false;
      if (isSkipping && run.stage === "fresh") this.#record(run, errorResult(refusal.skipped));
      else await this.#advance(run);
      if (isBarrier) await this.#untilRunning(0);
    }
  }

  /** Takes one call as far as it gets without waiting for its execution. */
  async #advance(run: CallRun): Promise<void> {
    if (run.stage === "denied")
      return this.#record(run, errorResult(refusal.denied(run.denialReason)));
    if (run.stage === "answered" && run.result !== undefined) return this.#review(run, run.result);
    if (run.stage === "started") return this.#recover(run);
    try {
      const decided = gateCall(this.#turn, run, this.#step);
      const gate = isPromise(decided) ? await decided : decided;
      if (this.#turn.isStopped) return;
      this.#pass(run, gate);
    } catch (thrown) {
      // An abort leaves the call as it is: it is refused with the others.
      if (!(thrown instanceof Interrupted)) this.#record(run, thrownResult(thrown));
    }
  }

  #pass(run: CallRun, gate: Gate): void {
    if (gate.action === "run") return this.#start(run);
    if (gate.action === "refuse") return this.#record(run, errorResult(gate.reason));
    const { pending } = gate;
    run.pending = pending;
    run.stage = "pending";
    const { conversationId, turnId, outbox } = this.#turn;
    outbox.add({ type: "pending", step: this.#step, pending: [pending] }, () =>
      this.#turn.emit({
        type: "awaiting_tool_execution",
        conversationId,
        turnId,
        pending: [pending],
      }),
    );
  }

  /** A call that had started in a process that is gone: what its tool declares decides. */
  async #recover(run: CallRun): Promise<void> {
    const effect = run.tool?.effect;
    if (run.tool?.execute !== undefined && (effect === "pure" || effect === "idempotent")) {
      return this.#rerun(run);
    }
    const found = await this.#reconcile(run);
    if (this.#turn.isStopped) return;
    if (found.outcome === "not-run") return this.#rerun(run);
    if (found.outcome === "unknown") return this.#record(run, errorResult(refusal.unknownOutcome));
    return this.#review(run, toToolResult(found.output));
  }

  async #reconcile(run: CallRun): Promise<Reconciliation> {
    const { tool, key } = run;
    if (tool?.reconcile === undefined || key === undefined) return { outcome: "unknown" };
    const context = new ExecuteContext(this.#turn, run, this.#step);
    try {
      const asked = this.#turn.callbacks.call(
        `reconcile of "${tool.name}"`,
        () => tool.reconcile?.(key, context) ?? { outcome: "unknown" as const },
      );
      return await asked;
    } catch {
      // Nobody could tell, which is what the model has to know.
      return { outcome: "unknown" };
    } finally {
      context.close();
    }
  }

  /** Runs a recorded intent again, with its own key and input, and past the hooks that let it pass before. */
  async #rerun(run: CallRun): Promise<void> {
    run.stage = "approved";
    await this.#advance(run);
  }

  #start(run: CallRun): void {
    const { outbox, conversationId } = this.#turn;
    run.stage = "running";
    this.#running++;
    if (!outbox.isRecording || run.key !== undefined || run.tool?.effect === "pure")
      return this.#execute(run);
    const toolCallId = run.call.id;
    run.key = idempotencyKey(conversationId, toolCallId);
    const isAltered = run.input !== run.call.input;
    outbox.add(
      {
        type: "tool_intent",
        step: this.#step,
        toolCallId,
        key: run.key,
        ...(isAltered && { input: run.input }),
      },
      () => this.#execute(run),
    );
  }

  #execute(run: CallRun): void {
    const turn = this.#turn;
    if (turn.isStopped) return this.#release(run);
    const { conversationId, turnId } = turn;
    const { id: toolCallId, name: toolName } = run.call;
    turn.emit({
      type: "tool_execution_start",
      conversationId,
      turnId,
      toolCallId,
      toolName,
      input: run.input,
    });
    run.startedAt = turn.input.now?.();
    const span = startSpan(turn.input.logger, "tool", { toolCallId, toolName }, turn.span);
    executeCall(turn, run, this.#step, (result) => {
      span?.end(
        result.isError ? { name: "ToolError", message: "The tool returned an error" } : undefined,
      );
      this.#review(run, result);
    });
  }

  /** An intent that was recorded just before the turn stopped: nothing has run, and nothing will. */
  #release(run: CallRun): void {
    run.stage = "approved";
    this.#running--;
    this.#wake?.();
  }

  /** Lets the `after` hook see a result before anybody else does. */
  #review(run: CallRun, result: ToolResult): void {
    const { after } = this.#turn.input.dispatch;
    if (after === undefined) return this.#record(run, result);
    const { id: toolCallId, name: toolName } = run.call;
    const wasRunning = run.stage === "running";
    if (!wasRunning) this.#running++;
    run.stage = "running";
    const withheld = (thrown: unknown): void =>
      this.#record(
        run,
        errorResult(`The result is withheld: ${thrownResult(thrown).output as string}`),
      );
    try {
      const reviewed = this.#turn.callbacks.call("the after hook", () =>
        after({ toolCallId, toolName, input: run.input, step: this.#step }, result),
      );
      if (isPromise(reviewed))
        reviewed.then((value) => this.#record(run, value ?? result), withheld);
      else this.#record(run, reviewed ?? result);
    } catch (thrown) {
      withheld(thrown);
    }
  }

  /** Decides a call. The first result counts; it is shown once it is recorded. */
  #record(run: CallRun, result: ToolResult): void {
    if (run.isDecided) return;
    const wasRunning = run.stage === "running";
    run.stage = "settling";
    run.result = result;
    run.stop?.();
    const turn = this.#turn;
    const { conversationId, turnId, outbox } = turn;
    const { id: toolCallId, name: toolName } = run.call;
    const endedAt = turn.input.now?.();
    const durationMs =
      endedAt === undefined || run.startedAt === undefined ? undefined : endedAt - run.startedAt;
    if (run.usage !== undefined) turn.countUsage(run.usage);
    outbox.add(
      {
        type: "tool_result",
        step: this.#step,
        toolCallId,
        toolName,
        result,
        ...(durationMs !== undefined && { durationMs }),
        ...(run.usage !== undefined && { usage: run.usage }),
      },
      () => {
        run.stage = "settled";
        if (wasRunning) this.#running--;
        turn.emit({
          type: "tool_execution_end",
          conversationId,
          turnId,
          toolCallId,
          toolName,
          output: result.output,
          ...(result.details !== undefined && { details: result.details }),
          isError: result.isError,
          ...(durationMs !== undefined && { durationMs }),
        });
        this.#wake?.();
      },
    );
    // A running call settles by itself; the others are flushed by the loop that decided them, together.
    if (wasRunning) background(outbox.flush());
  }

  #onAbort(): void {
    const { timer, dispatch } = this.#turn.input;
    const giveUp = (): void => {
      for (const run of this.runs) {
        if (run.stage === "running")
          this.#record(run, errorResult(refusal.interruptedWhileRunning));
      }
    };
    // Only to not wait for ever: tools that obey the signal are gone long before.
    if (timer === undefined) giveUp();
    else timer(dispatch.graceMs ?? 1_000, giveUp);
    this.#wake?.();
  }

  #hasSteering(): boolean {
    try {
      return this.#turn.input.hasSteering?.() ?? false;
    } catch {
      // Nothing is lost: what waits is drained after the batch.
      return false;
    }
  }

  /** Asks for answers to waiting calls; whether any came. */
  takeAnswers(): boolean {
    const { answers } = this.#turn.input;
    if (answers === undefined || !this.runs.some((run) => run.isWaiting)) return false;
    const came = this.#turn.callbacks.call("answers", answers);
    return this.assume(isPromise(came) ? [] : came, false);
  }

  async #untilRunning(most: number): Promise<void> {
    while (this.#running > most && !this.#turn.isStopped) {
      const flushed = this.#turn.outbox.flush();
      if (flushed !== undefined) await flushed;
      if (this.#running > most && !this.#turn.isStopped) await this.#change();
    }
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

function gateAtOnce(turn: TurnState, run: CallRun, step: number): Gate | undefined {
  try {
    const gate = gateCall(turn, run, step);
    if (!isPromise(gate)) return gate;
    gate.then(undefined, () => {});
  } catch {
    // The call is gated again when its turn comes, and refused then.
  }
  return undefined;
}

/** Lets a write go on. Its failure reaches the turn through the outbox. */
function background(task: Promise<void> | undefined): void {
  task?.then(undefined, () => {});
}
