/** Context that a tool gets. Fields that cost something are created when they are read. */
import type { AbortListener } from "../effects/abort.ts";
import type { CallRun } from "./call-run.ts";
import type { ChatMessage, Usage } from "../contracts/conversation.ts";
import type { Logger } from "../contracts/logging.ts";
import type { Resumption } from "../contracts/progress.ts";
import type { ToolExecuteContext, ToolResult } from "../contracts/tool.ts";
import { ToolCallError, toText } from "../errors/errors.ts";
import { guardedController } from "../effects/guarded-signal.ts";
import { hashJson } from "../effects/hash.ts";
import type { Nesting } from "./nesting.ts";
import type { TurnState } from "../turn/turn-state.ts";
import { addUsage, replaceUsage } from "../effects/usage.ts";

interface NestingTaker {
  nest(run: CallRun): Nesting;
}

/** Shown instead of output that is too long to be shown live. */
const notShown = "\n(The rest is not shown live.)\n";

export class ToolContext implements ToolExecuteContext, AbortListener {
  readonly toolCallId: string;
  readonly conversationId: string;
  readonly turnId: string;
  readonly step: number;
  readonly cwd: string | undefined;
  readonly logger: Logger | undefined;
  readonly #turn: TurnState;
  readonly #run: CallRun;
  readonly #taker: NestingTaker | undefined;
  /** Created with the first call that the tool makes. */
  #nesting: Nesting | undefined;
  #controller: AbortController | undefined;
  #isClosed = false;
  #shownChars = 0;
  #isCut = false;

  /** Without a taker, the tool cannot call others. */
  constructor(turn: TurnState, run: CallRun, step: number, taker?: NestingTaker) {
    this.toolCallId = run.call.id;
    this.conversationId = turn.conversationId;
    this.turnId = turn.turnId;
    this.step = step;
    this.cwd = turn.input.cwd;
    this.logger = turn.input.logger;
    this.#turn = turn;
    this.#run = run;
    this.#taker = taker;
  }

  /** Only a tool with a timeout needs its own signal; the others share the turn's. */
  get signal(): AbortSignal {
    if (timeoutOf(this.#turn, this.#run) === Infinity) return this.#turn.abort.signal;
    if (this.#controller === undefined) {
      this.#controller = guardedController();
      if (this.#isClosed || this.#turn.isStopped) this.#controller.abort();
      else this.#turn.abort.addListener(this);
    }
    return this.#controller.signal;
  }

  get messages(): readonly ChatMessage[] {
    const { transcript, step } = this.#turn;
    const known = step?.calls.settledMessages() ?? [];
    return [...transcript.all(), ...known];
  }

  get resumed(): Resumption | undefined {
    return this.#run.resumed;
  }

  get idempotencyKey(): string {
    return (this.#run.key ??= idempotencyKey(this.#turn, this.toolCallId));
  }

  call(toolName: string, input: unknown): Promise<ToolResult> {
    const taker = this.#isClosed ? undefined : this.#taker;
    this.#nesting ??= taker?.nest(this.#run);
    if (this.#nesting !== undefined) return this.#nesting.call(this.#run, toolName, input);
    const message = `"${toolName}" cannot be called here: the call is over, or is being recovered`;
    return Promise.reject(new ToolCallError("call_over", message));
  }

  update(text: string): void {
    // Untyped code may pass any value.
    const delta: string = typeof text === "string" ? text : toText(text);
    if (this.#isClosed || delta === "" || this.#isCut) return;
    const left = (this.#turn.limits.liveOutputChars ?? Infinity) - this.#shownChars;
    this.#shownChars += delta.length;
    if (delta.length <= left) return this.#show(delta);
    this.#isCut = true;
    this.#show(`${delta.slice(0, left)}${notShown}`);
  }

  #show(delta: string): void {
    const { ids } = this.#turn;
    // Readers follow the model's call: nested ones show their progress there.
    const toolCallId = this.#run.rootId ?? this.toolCallId;
    this.#turn.emit({ ...ids, type: "tool_execution_delta", toolCallId, delta });
  }

  usage(child: Usage, cost?: number): void {
    if (this.#isClosed) return;
    // Invalid counts are ignored: a tool may report any value.
    this.#run.usage = addUsage(this.#run.usage ?? {}, replaceUsage(undefined, child));
    if (typeof cost === "number" && Number.isFinite(cost) && cost >= 0) {
      this.#run.cost = (this.#run.cost ?? 0) + cost;
    }
  }

  onAbort(): void {
    this.#controller?.abort();
  }

  /** Closes the context once the call has settled: later output is dropped. A tool that has not ended by itself is signalled to stop. */
  close(hasEnded = false): void {
    this.#isClosed = true;
    if (this.#nesting?.rootId === this.toolCallId) this.#nesting.close();
    if (this.#controller === undefined) return;
    this.#turn.abort.removeListener(this);
    if (!hasEnded) this.#controller.abort();
  }
}

/** Idempotency key: identical for every run of a call, in every process. */
export function idempotencyKey(
  { conversationId, journal: { incarnation } }: TurnState,
  toolCallId: string,
): string {
  // Without an incarnation, the key equals the one in older logs.
  if (incarnation === undefined) return hashJson([conversationId, toolCallId]);
  // Both are unique, and so is this. A hash costs more than the rest of a step: only keys that may not fit into a header need one.
  const key = `${incarnation}.${toolCallId}`;
  return isPlainKey(key) ? key : hashJson([conversationId, incarnation, toolCallId]);
}

/** Vendors limit the length of idempotency keys; 255 characters is the shortest limit known. */
function isPlainKey(key: string): boolean {
  return key.length <= 128 && /^[\w.~-]+$/.test(key);
}

/** Time limit of one execution; without a timer there is none. */
export function timeoutOf(turn: TurnState, run: CallRun): number {
  if (!turn.surroundings.hasTimer) return Infinity;
  return run.tool?.timeoutMs ?? turn.limits.deadlines?.toolMs ?? Infinity;
}
