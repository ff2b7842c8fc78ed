/**
 * Calls that a running tool makes itself: gated, run, reviewed and recorded like those of the model. A call is identified by its order and its
 * input, so a tool that runs again gets the results that are recorded.
 */
import type { JsonValue, ToolCallPart } from "../contracts/conversation.ts";
import type { PendingCall } from "../contracts/events.ts";
import type { Fact } from "../contracts/journal.ts";
import type { Span } from "../contracts/logging.ts";
import type { NestedCall } from "../contracts/progress.ts";
import type { ToolResult } from "../contracts/tool.ts";
import { hashJson } from "../effects/hash.ts";
import { toJson } from "../effects/json.ts";
import { isAbortedCallback } from "../effects/callbacks.ts";
import { ToolCallError, serializeError } from "../errors/errors.ts";
import type { TurnState } from "../turn/turn-state.ts";
import { nestedIntentFact, nestedResultFact } from "./call-facts.ts";
import { CallRun } from "./call-run.ts";
import type { ResultTaker } from "./execution.ts";
import { Execution } from "./execution.ts";
import type { Gate } from "./gate.ts";
import { gateCall } from "./gate.ts";
import type { Nesting } from "./nesting.ts";
import { NestedRecords } from "./nested-records.ts";
import { recoverCall } from "./recover-call.ts";
import { reviewResult } from "./review.ts";
import { suspend } from "./suspend.ts";
import { idempotencyKey } from "./tool-context.ts";
import { deniedResult, errorResult, refusal } from "./tool-result.ts";
import { cleanResult } from "./tool-return.ts";

/** More calls of one run are refused: a tool that loops would fill the log. */
const maxCalls = 1_000;

/** One call that a tool makes. */
interface Nested {
  readonly run: CallRun;
  readonly caller: CallRun;
  readonly hash: string;
  /** Whether the journal has the input. */
  isNoted: boolean;
}

export class NestedCalls implements Nesting {
  readonly #turn: TurnState;
  readonly #step: number;
  readonly #root: CallRun;
  /** Calls of this run, by id. */
  readonly #calls = new Map<string, Nested>();
  /** Number of calls that each caller has made, by its id. */
  readonly #counts = new Map<string, number>();
  /** Ids of the calls that have not ended. */
  readonly #open = new Set<string>();
  /** Rejects once the run of the root is over: no call ends after that. */
  readonly #over: PromiseWithResolvers<never> = Promise.withResolvers<never>();
  readonly #waiting: PendingCall[] = [];
  #isClosed = false;

  constructor(turn: TurnState, step: number, root: CallRun) {
    this.#turn = turn;
    this.#step = step;
    this.#root = root;
    // Only calls that are under way hear of it.
    this.#over.promise.catch(() => {});
  }

  get rootId(): string {
    return this.#root.call.id;
  }

  /** Calls a tool on behalf of `caller`, which is the root or a call nested in it. */
  call(caller: CallRun, toolName: string, input: unknown): Promise<ToolResult> {
    const result = Promise.race([this.#call(caller, toolName, input), this.#over.promise]);
    // A tool that does not wait for its calls may return before they fail: the process must survive that.
    result.catch(() => {});
    return result;
  }

  /** Ends all calls: the run of the root is over. */
  close(error: ToolCallError = over()): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const { run } of this.#calls.values()) {
      if (run.state.stage === "running") run.state.execution.stop();
    }
    this.#over.reject(error);
  }

  async #call(caller: CallRun, toolName: string, input: unknown): Promise<ToolResult> {
    const nested = this.#create(caller, toolName, toJson(input) ?? null);
    const { id } = nested.run.call;
    this.#open.add(id);
    try {
      const result = await this.#work(nested);
      if (result !== "waiting") return result;
    } finally {
      this.#open.delete(id);
      this.#suspendIfIdle();
    }
    return this.#over.promise;
  }

  #create(caller: CallRun, toolName: string, input: JsonValue): Nested {
    if (this.#isClosed || this.#turn.isStopped) throw over();
    if (this.#calls.size >= maxCalls) {
      throw new ToolCallError("too_many_calls", `A tool may make ${maxCalls} calls at most`);
    }
    const count = (this.#counts.get(caller.call.id) ?? 0) + 1;
    this.#counts.set(caller.call.id, count);
    const id = `${caller.call.id}.${count}`;
    const call: ToolCallPart = { type: "tool_call", id, name: toolName, input };
    const run = new CallRun(call, this.#turn.findTool(toolName), this.rootId);
    if (run.tool?.execution === "sequential" && this.#root.tool?.execution !== "sequential") {
      const message = `"${toolName}" must run alone: make the tool that calls it \`sequential\`, too`;
      throw new ToolCallError("must_be_sequential", message);
    }
    const nested = { run, caller, hash: hashJson([toolName, input]), isNoted: false };
    this.#calls.set(id, nested);
    return nested;
  }

  async #work(nested: Nested): Promise<ToolResult | "waiting"> {
    const { run, hash } = nested;
    const records = this.#records();
    const known = records.find(run.call.id, hash);
    if (known?.state === "settled") return known.result;
    const found = await this.#enter(nested, known);
    if (found !== undefined) return this.#settle(nested, found);
    const gate = await this.#gate(run);
    this.#mustGoOn();
    if (gate.action === "wait") return this.#wait(nested, gate.pending);
    if (gate.action === "refuse") return this.#settle(nested, errorResult(gate.reason));
    return this.#run(nested, gate.parsed);
  }

  /** If a hook or a check fails, the call does not run. */
  async #gate(run: CallRun): Promise<Gate> {
    try {
      return await gateCall(this.#turn, run, this.#step);
    } catch (thrown) {
      if (isAbortedCallback(thrown)) throw over();
      return { action: "refuse", reason: serializeError(thrown).message };
    }
  }

  /** Applies what is known about the call. Returns its result, if that decides it. */
  async #enter({ run }: Nested, known: NestedCall | undefined): Promise<ToolResult | undefined> {
    if (known?.state === "started") {
      const { toolCallId, key } = known;
      run.assume({ toolCallId, state: "started", key });
      const recovered = await recoverCall(this.#turn, run, this.#step);
      if (recovered !== "rerun") return recovered;
      run.approve();
      return undefined;
    }
    const answer = this.#records().answer(run.call.id);
    if (answer?.state === "approved") run.approve();
    if (answer?.state === "denied") return deniedResult(answer.reason);
    return answer?.state === "settled" ? this.#review(run, cleanResult(answer.result)) : undefined;
  }

  async #run(nested: Nested, parsed: unknown): Promise<ToolResult> {
    const { run } = nested;
    const { toolName } = run;
    const { id: toolCallId } = run.call;
    const turn = this.#turn;
    const { rootId: within } = this;
    if (!run.hadStarted && run.tool?.effect !== "pure" && turn.outbox !== undefined) {
      run.key = idempotencyKey(turn, toolCallId);
      const place = { within, step: this.#step, hash: nested.hash };
      await this.#record(nestedIntentFact(run, place, run.key));
      nested.isNoted = true;
    }
    nested.isNoted ||= run.hadStarted;
    this.#mustGoOn();
    const { input } = run;
    turn.emit({ ...turn.ids, type: "nested_call_start", within, toolCallId, toolName, input });
    const startedAt = turn.surroundings.now();
    const span = turn.spans?.start("tool", { toolCallId, toolName, step: this.#step }, this.#span);
    const result = await this.#execute(run, parsed, startedAt, span);
    const endedAt = startedAt === undefined ? undefined : turn.surroundings.now();
    span?.end(result.isError ? { name: "ToolError", message: "The call failed" } : undefined);
    const durationMs = endedAt === undefined ? undefined : endedAt - (startedAt ?? endedAt);
    return this.#settle(nested, await this.#review(run, result), durationMs);
  }

  /** Resolves with the result of one execution. A tool that suspends itself is an error result: only its caller can be suspended. */
  #execute(
    run: CallRun,
    parsed: unknown,
    startedAt: number | undefined,
    span: Span | undefined,
  ): Promise<ToolResult> {
    return new Promise((resolve) => {
      const taker: ResultTaker = {
        takeResult: (_run, result) => resolve(result),
        takeSuspension: () => resolve(errorResult(refusal.nestedSuspension)),
        nest: () => this,
      };
      const execution = new Execution(this.#turn, run, this.#step, parsed, taker, span);
      run.run({ stage: "running", execution, startedAt, span });
      execution.start(startedAt);
    });
  }

  #review(run: CallRun, result: ToolResult): ToolResult | Promise<ToolResult> {
    return reviewResult(this.#turn, run, this.#step, result);
  }

  async #settle(nested: Nested, result: ToolResult, durationMs?: number): Promise<ToolResult> {
    this.#mustGoOn();
    const { run, hash, isNoted } = nested;
    run.decide(result);
    if (run.usage !== undefined) this.#turn.countUsage(run.usage);
    const place = { within: this.rootId, step: this.#step, hash };
    await this.#record(nestedResultFact(run, place, result, { isNoted, durationMs }));
    this.#records().settle(run.call.id, hash, result);
    return result;
  }

  /** The call waits for an answer: so does the root, once the other calls have settled. */
  #wait(nested: Nested, pending: PendingCall): "waiting" {
    if (!this.#canWait(nested)) {
      const message = `"${nested.run.toolName}" would have to wait for an answer, and the tool that calls it must not run twice: its \`effect\` is neither "pure" nor "idempotent"`;
      throw new ToolCallError("cannot_wait_here", message);
    }
    this.#waiting.push(pending);
    return "waiting";
  }

  /** Whether all callers may run again. */
  #canWait({ caller }: Nested): boolean {
    const effect = caller.tool?.effect;
    if (effect !== "pure" && effect !== "idempotent") return false;
    const outer = this.#calls.get(caller.call.id);
    return outer === undefined ? this.#root.state.stage === "running" : this.#canWait(outer);
  }

  /** Suspends the root once every call has ended or waits, or made a call that waits. */
  #suspendIfIdle(): void {
    const { state, resumed } = this.#root;
    if (state.stage !== "running" || this.#isClosed || this.#waiting.length === 0) return;
    if ([...this.#open].some((id) => !this.#hasWaiting(id))) return;
    const kept = this.#records().toState(resumed);
    this.close(new ToolCallError("suspended", "The call waits for an answer"));
    state.execution.suspend(suspend({ questions: this.#waiting, state: kept }), true);
  }

  /** Whether a call that this one made waits. */
  #hasWaiting(id: string): boolean {
    return this.#waiting.some(({ toolCallId }) => toolCallId.startsWith(`${id}.`));
  }

  #record(fact: Fact): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#turn.record(fact, resolve);
      this.#turn.flush()?.catch(reject);
    });
  }

  #mustGoOn(): void {
    if (this.#isClosed || this.#turn.isStopped) throw over();
  }

  get #span(): Span | undefined {
    const { state } = this.#root;
    return state.stage === "running" ? state.span : undefined;
  }

  #records(): NestedRecords {
    return (this.#root.nested ??= new NestedRecords());
  }
}

function over(): ToolCallError {
  return new ToolCallError(
    "call_over",
    "The tool that made this call was stopped, or has returned",
  );
}
