/** Runs one tool once: whatever it returns, throws or yields becomes one result, and a second one is dropped. */
import type { CallRun } from "./call-run.ts";
import { isPromise } from "./callbacks.ts";
import type { Usage } from "./contracts/conversation.ts";
import type { Logger } from "./contracts/logging.ts";
import type {
  ToolExecuteContext,
  ToolExecutionEvent,
  ToolResult,
  ToolReturn,
} from "./contracts/tool.ts";
import { hashJson } from "./hash.ts";
import { errorResult, refusal, thrownResult, toJson, toToolResult } from "./tool-result.ts";
import type { TurnState } from "./turn-state.ts";
import { addUsage } from "./usage.ts";

/** Starts the tool and calls `settle` exactly once, unless `run.stop` is called first. */
export function executeCall(
  turn: TurnState,
  run: CallRun,
  step: number,
  settle: (result: ToolResult) => void,
): void {
  const tool = run.tool;
  const context = new ExecuteContext(turn, run, step);
  let isOver = false;
  let cancelTimeout: (() => void) | undefined;
  let iterator: AsyncIterator<ToolExecutionEvent> | undefined;
  run.stop = () => {
    isOver = true;
    cancelTimeout?.();
    context.close();
    if (iterator !== undefined) abandon(iterator);
  };
  const end = (result: ToolResult): void => {
    if (isOver) return;
    run.stop?.();
    settle(tool?.isTerminal === true && !result.isError ? { ...result, isTerminal: true } : result);
  };
  const fail = (thrown: unknown): void => {
    end(turn.abort.isAborted ? errorResult(refusal.interruptedWhileRunning) : thrownResult(thrown));
  };

  const limitMs = tool?.timeoutMs ?? turn.input.deadlines?.toolMs ?? Infinity;
  if (limitMs !== Infinity) {
    cancelTimeout = turn.input.timer?.(limitMs, () => end(errorResult(refusal.timedOut(limitMs))));
  }
  try {
    // `parsed` is what the tool's own `parseInput` gave.
    const returned = tool?.execute?.(run.parsed as never, context);
    if (isPromise<ToolReturn>(returned)) {
      returned.then((value) => finish(value), fail);
    } else if (isAsyncIterable(returned)) {
      iterator = returned[Symbol.asyncIterator]();
      readEvents(iterator, context, () => isOver).then(end, fail);
    } else finish(returned);
  } catch (thrown) {
    fail(thrown);
  }

  function finish(value: unknown): void {
    try {
      end(toToolResult(value));
    } catch (thrown) {
      fail(thrown);
    }
  }
}

async function readEvents(
  iterator: AsyncIterator<ToolExecutionEvent>,
  context: ExecuteContext,
  isOver: () => boolean,
): Promise<ToolResult> {
  let shown = "";
  for (;;) {
    const { value, done } = await iterator.next();
    if (isOver()) break;
    // A tool that only streams has said all that it has to say.
    if (done === true) return shown === "" ? errorResult(refusal.incomplete) : toToolResult(shown);
    if (value.type === "complete") return completed(value);
    shown += value.delta;
    context.update(value.delta);
  }
  return errorResult(refusal.incomplete);
}

function completed(event: Extract<ToolExecutionEvent, { type: "complete" }>): ToolResult {
  const result = toToolResult(event.output);
  const details = toJson(event.details);
  return {
    ...result,
    isError: event.isError === true,
    ...(details !== undefined && { details }),
  };
}

/** Lets a generator clean up without waiting for it. */
function abandon(iterator: AsyncIterator<ToolExecutionEvent>): void {
  try {
    iterator.return?.()?.then(undefined, () => {});
  } catch {
    // The call has its result; a failing clean-up does not change it.
  }
}

function isAsyncIterable(value: unknown): value is AsyncIterable<ToolExecutionEvent> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

/** What a tool sees of its turn. Fields that cost something are made when they are read. */
export class ExecuteContext implements ToolExecuteContext {
  readonly toolCallId: string;
  readonly conversationId: string;
  readonly turnId: string;
  readonly step: number;
  readonly cwd: string | undefined;
  readonly logger: Logger | undefined;
  readonly #turn: TurnState;
  readonly #run: CallRun;
  #controller: AbortController | undefined;
  #stopListening: (() => void) | undefined;
  #isClosed = false;

  constructor(turn: TurnState, run: CallRun, step: number) {
    this.toolCallId = run.call.id;
    this.conversationId = turn.conversationId;
    this.turnId = turn.turnId;
    this.step = step;
    this.cwd = turn.input.cwd;
    this.logger = turn.input.logger;
    this.#turn = turn;
    this.#run = run;
  }

  get signal(): AbortSignal {
    const hasTimeout =
      (this.#run.tool?.timeoutMs ?? this.#turn.input.deadlines?.toolMs) !== undefined;
    return hasTimeout ? this.#ownSignal() : this.#turn.abort.signal;
  }

  get idempotencyKey(): string {
    return (this.#run.key ??= idempotencyKey(this.conversationId, this.toolCallId));
  }

  update(delta: string): void {
    if (this.#isClosed || delta === "") return;
    const { conversationId, turnId, toolCallId } = this;
    this.#turn.emit({ type: "tool_execution_delta", conversationId, turnId, toolCallId, delta });
  }

  usage(child: Usage): void {
    if (!this.#isClosed) this.#run.usage = addUsage(this.#run.usage ?? {}, child);
  }

  /** The call has settled: what the tool still says is dropped, and it is told to stop. */
  close(): void {
    this.#isClosed = true;
    this.#stopListening?.();
    this.#controller?.abort();
  }

  #ownSignal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      this.#controller = controller;
      if (this.#isClosed || this.#turn.isStopped) controller.abort();
      this.#stopListening = this.#turn.abort.onAbort(() => controller.abort());
    }
    return this.#controller.signal;
  }
}

/** The same for every run of a call, in every process. */
export function idempotencyKey(conversationId: string, toolCallId: string): string {
  return hashJson([conversationId, toolCallId]);
}
