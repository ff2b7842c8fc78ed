/** One run of one tool: its return value, error or events become one result; later results are dropped. */
import type { LimitedCall } from "./call-limits.ts";
import type { CallRun } from "./call-run.ts";
import { isPromise, toPromise } from "../effects/is-promise.ts";
import type { SerializedError } from "../contracts/conversation.ts";
import type { Span } from "../contracts/logging.ts";
import { serializeError } from "../errors/errors.ts";
import type { ToolExecutionEvent, ToolResult, ToolYield } from "../contracts/tool.ts";
import { leaveQuietly } from "../effects/quietly.ts";
import type { Nesting } from "./nesting.ts";
import type { Suspension } from "./suspend.ts";
import { isSuspension } from "./suspend.ts";
import { ToolContext, timeoutOf } from "./tool-context.ts";
import { errorResult, interruptedResult, refusal, thrownResult } from "./tool-result.ts";
import { cleanResult, toDetails, toExecutionEvent, toToolResult } from "./tool-return.ts";
import type { TurnState } from "../turn/turn-state.ts";

/** A tool that streams and never waits would keep its own timeout from firing. */
const breatheEvery = 64;

/** Receives the result, or the suspension. */
export interface ResultTaker {
  takeResult(run: CallRun, result: ToolResult): void;
  /** `isNested`: calls that the tool has made ask the questions. */
  takeSuspension(run: CallRun, suspension: Suspension, isNested: boolean): void;
  /** Returns the calls that a run makes itself: new ones for a call of the model. */
  nest(run: CallRun): Nesting;
}

export class Execution implements LimitedCall {
  readonly #turn: TurnState;
  readonly #run: CallRun;
  readonly #input: unknown;
  readonly #taker: ResultTaker;
  readonly #context: ToolContext;
  readonly #span: Span | undefined;
  #iterator: AsyncIterator<ToolYield> | undefined;
  #limitMs = Infinity;
  deadlineAt: number = Infinity;
  #isOver = false;

  /** Error that the tool threw, if it did. */
  failure: SerializedError | undefined;

  /** `input` is the value that the tool's own `parseInput` returned. */
  constructor(
    turn: TurnState,
    run: CallRun,
    step: number,
    input: unknown,
    taker: ResultTaker,
    span: Span | undefined,
  ) {
    this.#span = span;
    this.#turn = turn;
    this.#run = run;
    this.#input = input;
    this.#taker = taker;
    this.#context = new ToolContext(turn, run, step, taker);
  }

  /** Calls the tool. The taker gets exactly one result, unless `stop` comes first. `startedAt` is undefined without a clock. */
  start(startedAt: number | undefined): void {
    this.#limitMs = timeoutOf(this.#turn, this.#run);
    if (this.#limitMs !== Infinity) this.#turn.callLimits.add(this, this.#limitMs, startedAt);
    try {
      const returned =
        this.#turn.spans === undefined ? this.#call() : this.#within(() => this.#call());
      if (isPromise(returned)) {
        toPromise(returned).then(
          (value) => this.#finish(value),
          (thrown: unknown) => this.#fail(thrown),
        );
      } else this.#finish(returned);
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  #call(): unknown {
    // Only the tool knows the type of its input.
    return this.#run.tool?.execute?.(this.#input as never, this.#context);
  }

  /** Signals the tool to stop and drops its later output: the result comes from elsewhere. */
  stop(): void {
    if (!this.#isOver) this.#close(false);
  }

  #close(hasEnded: boolean): void {
    this.#isOver = true;
    if (this.#limitMs !== Infinity) this.#turn.callLimits.remove(this);
    this.#context.close(hasEnded);
    if (this.#iterator !== undefined) leaveQuietly(this.#iterator);
  }

  /** Called when the time limit has passed. */
  expire(): void {
    this.#end(errorResult(refusal.timedOut(this.#limitMs)), false);
  }

  #finish(value: unknown): void {
    if (this.#isOver) return;
    try {
      if (isAsyncIterable(value)) this.#follow(value);
      else if (isSuspension(value)) this.suspend(value, false);
      else this.#end(toToolResult(value));
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  #fail(thrown: unknown): void {
    const isAborted = this.#turn.abort.isAborted;
    if (this.#span !== undefined) this.failure = serializeError(thrown);
    this.#end(
      isAborted ? interruptedResult(this.#run.tool, this.#turn.abort) : thrownResult(thrown),
    );
  }

  /** Calls the tool within its span, so that its own spans are nested in that. */
  #within<T>(call: () => T): T {
    const { spans } = this.#turn;
    return spans === undefined ? call() : spans.within(this.#span, call);
  }

  #end(result: ToolResult, hasEnded = true): void {
    if (this.#isOver) return;
    this.#close(hasEnded);
    this.#taker.takeResult(this.#run, result);
  }

  /** Ends the run: the tool runs again once the questions are answered. */
  suspend(suspension: Suspension, isNested: boolean): void {
    if (this.#isOver) return;
    this.#close(!isNested);
    this.#taker.takeSuspension(this.#run, suspension, isNested);
  }

  #follow(events: AsyncIterable<ToolYield>): void {
    const iterator = events[Symbol.asyncIterator]();
    this.#iterator = iterator;
    this.#read(iterator).then(
      (result) => this.#end(result),
      (thrown: unknown) => this.#fail(thrown),
    );
  }

  async #read(iterator: AsyncIterator<ToolYield>): Promise<ToolResult> {
    let shown = "";
    for (let count = 1; ; count++) {
      if (count % breatheEvery === 0) await this.#turn.breathe();
      const { value, done } = await this.#within(() => iterator.next());
      // The output of a tool that only streams is the text it streamed.
      if (done === true)
        return shown === "" ? errorResult(refusal.incomplete) : toToolResult(shown);
      const event = toExecutionEvent(value);
      if (event === undefined) continue;
      if (event.type === "complete") return completed(event);
      const { delta } = event;
      shown += delta;
      this.#context.update(delta);
      if (this.#isOver) return errorResult(refusal.incomplete);
    }
  }
}

function completed(event: Extract<ToolExecutionEvent, { type: "complete" }>): ToolResult {
  const result = toToolResult(event.output);
  const details = toDetails(event.details) ?? result.details;
  const isError = event.isError === true || result.isError;
  return cleanResult({ ...result, isError, ...(details !== undefined && { details }) });
}

function isAsyncIterable(value: unknown): value is AsyncIterable<ToolYield> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}
