/** One tool call of a step: its state and the transitions from it. */
import type { JsonValue, ToolCallPart, Usage } from "../contracts/conversation.ts";
import type { PendingCall } from "../contracts/events.ts";
import type { Span } from "../contracts/logging.ts";
import type { NestedCall, OpenCall, Resumption } from "../contracts/progress.ts";
import type { ForwardedCall, ToolContract, ToolResult } from "../contracts/tool.ts";
import { quietly } from "../effects/quietly.ts";
import type { Execution } from "./execution.ts";
import type { Gate } from "./gate.ts";
import { NestedRecords } from "./nested-records.ts";

/** State of a call, with the data that exists only in that state. The first five stages are actionable. */
export type CallState =
  /** `gate`: a decision that was made or requested early, before the call's turn came. */
  | { readonly stage: "fresh"; readonly gate?: Gate | Promise<Gate> }
  /** The call had started in a process that is gone. */
  | { readonly stage: "started" }
  | { readonly stage: "approved" }
  | { readonly stage: "denied"; readonly reason: string | undefined }
  /** The result came from outside. */
  | { readonly stage: "answered"; readonly result: ToolResult }
  /** The call waits for an answer or an approval. */
  | { readonly stage: "pending"; readonly pending: PendingCall }
  /** The suspension by its own tool is on its way to the journal. */
  | { readonly stage: "suspending" }
  /** The call waits until its own tool runs again. */
  | { readonly stage: "suspended"; readonly pending: readonly PendingCall[] }
  /** The intent is on its way to the journal. */
  | { readonly stage: "starting" }
  | RunningCall
  /** The `after` hook reviews a result that was not produced by an execution here. */
  | { readonly stage: "reviewing" }
  /** The result is on its way to the journal. */
  | { readonly stage: "settling"; readonly result: ToolResult }
  | { readonly stage: "settled"; readonly result: ToolResult };

export interface RunningCall {
  readonly stage: "running";
  readonly execution: Execution;
  /** Read from the injected clock, if there is one. */
  readonly startedAt: number | undefined;
  readonly span: Span | undefined;
}

const none: readonly NestedCall[] = [];
const fresh: CallState = { stage: "fresh" };
const started: CallState = { stage: "started" };
const approved: CallState = { stage: "approved" };
const starting: CallState = { stage: "starting" };
const reviewing: CallState = { stage: "reviewing" };
const suspending: CallState = { stage: "suspending" };

export class CallRun {
  readonly call: ToolCallPart;
  readonly tool: ToolContract | undefined;
  #state: CallState = fresh;
  #hadStarted = false;
  /** Input for the tool, as JSON: the model's arguments, unless the call is forwarded or a hook altered them. */
  input: JsonValue;
  /** Idempotency key, once it is recorded or was requested. */
  key: string | undefined;
  /** Set if an earlier run suspended the call. */
  resumed: Resumption | undefined;
  /** Tokens that the tool spent on its own model calls. */
  usage: Usage | undefined;
  cost: number | undefined;
  /** Records of the calls that the tool has made itself. Created with the first: few tools make any. */
  nested: NestedRecords | undefined;
  /** Id of the model's call that this one is nested in. */
  readonly rootId: string | undefined;

  constructor(call: ToolCallPart, tool: ToolContract | undefined, rootId?: string) {
    this.call = call;
    const forwarded = tool?.forward === undefined ? undefined : forward(tool, call);
    this.tool = forwarded?.tool ?? tool;
    this.input = forwarded === undefined ? call.input : forwarded.input;
    this.rootId = rootId;
  }

  /** Name of the tool that runs. The call has another one if it is forwarded. */
  get toolName(): string {
    return this.tool?.name ?? this.call.name;
  }

  get state(): CallState {
    return this.#state;
  }

  /** True if the call had started in a process that is gone: whether it ran is unknown. */
  get hadStarted(): boolean {
    return this.#hadStarted;
  }

  /** Whether the call waits for something outside. */
  get isWaiting(): boolean {
    return this.#state.stage === "pending" || this.#state.stage === "suspended";
  }

  /** Pending calls that this one waits for: itself, or its questions. */
  get pending(): readonly PendingCall[] {
    if (this.#state.stage === "suspended") return this.#state.pending;
    return this.#state.stage === "pending" ? [this.#state.pending] : [];
  }

  get result(): ToolResult | undefined {
    return "result" in this.#state ? this.#state.result : undefined;
  }

  get isActionable(): boolean {
    switch (this.#state.stage) {
      case "fresh":
      case "started":
      case "approved":
      case "denied":
      case "answered":
        return true;
      default:
        return false;
    }
  }

  get isUnderWay(): boolean {
    const { stage } = this.#state;
    return stage === "starting" || stage === "running" || stage === "reviewing";
  }

  /** True if the result is known, though perhaps not yet recorded. */
  get isDecided(): boolean {
    const { stage } = this.#state;
    return stage === "settling" || stage === "settled";
  }

  /** Applies a state that the caller knows. */
  assume(open: OpenCall): void {
    if (open.input !== undefined) this.input = open.input;
    for (const call of open.nested ?? none) this.#records().add(call);
    switch (open.state) {
      case "fresh":
        this.#state = fresh;
        return;
      case "approved":
        this.#state = approved;
        return;
      case "denied":
        this.#state = { stage: "denied", reason: open.reason };
        return;
      case "started":
        this.#state = started;
        this.#hadStarted = true;
        this.key = open.key;
        this.resumed = this.#resume(open.resumed);
        return;
      case "suspended":
        return this.suspend(open.pending);
      case "resumed":
        this.resumed = this.#resume(open.resumed);
        return this.approve();
      case "pending":
        this.input = open.pending.input;
        return this.wait(open.pending);
      case "settled": {
        const { result, isRecorded } = open;
        this.#state = { stage: isRecorded === true ? "settled" : "answered", result };
        return;
      }
      default:
        return open satisfies never;
    }
  }

  /** Whether the call waits for exactly this kind of answer. Other answers are ignored. */
  isAnsweredBy({ state }: OpenCall): boolean {
    if (this.#state.stage === "suspended") return state === "resumed";
    if (this.#state.stage !== "pending") return false;
    if (state === "approved") return this.#state.pending.kind === "approval";
    return state === "settled" || state === "denied";
  }

  /** Keeps a decision until the call's turn comes. */
  expect(gate: Gate | Promise<Gate>): void {
    this.#state = { stage: "fresh", gate };
  }

  wait(pending: PendingCall): void {
    this.#state = { stage: "pending", pending };
  }

  /** Its own tool has suspended the call, which is not recorded yet. */
  beginSuspension(): void {
    this.#state = suspending;
  }

  /** The suspension is recorded. The next run is recorded like the first. */
  suspend(pending: readonly PendingCall[]): void {
    this.#state = { stage: "suspended", pending };
    this.#hadStarted = false;
  }

  /** Lets the call run without asking again. */
  approve(): void {
    this.#state = approved;
  }

  start(): void {
    this.#state = starting;
  }

  run(running: RunningCall): void {
    this.#state = running;
  }

  review(): void {
    this.#state = reviewing;
  }

  /** The first result counts. */
  decide(result: ToolResult): void {
    this.#state = { stage: "settling", result };
  }

  /** Marks the result as recorded. */
  settle(result: ToolResult): void {
    this.#state = { stage: "settled", result };
  }

  /** State that a caller passes in to continue from here. */
  toOpen(): OpenCall {
    const open = this.#toOpen();
    return this.nested === undefined ? open : { ...open, nested: this.nested.all };
  }

  /** Answers to calls that the tool made itself are for those. */
  #resume(resumed: Resumption | undefined): Resumption | undefined {
    return resumed?.isNested === true ? this.#records().resume(resumed) : resumed;
  }

  #records(): NestedRecords {
    return (this.nested ??= new NestedRecords());
  }

  #toOpen(): OpenCall {
    const toolCallId = this.call.id;
    const { result } = this;
    if (result !== undefined) {
      return { toolCallId, state: "settled", result, isRecorded: this.#state.stage === "settled" };
    }
    switch (this.#state.stage) {
      case "pending":
        return { toolCallId, state: "pending", pending: this.#state.pending };
      case "suspended":
        return { toolCallId, state: "suspended", pending: this.#state.pending };
      default:
        return { toolCallId, state: "fresh" };
    }
  }
}

/** Arguments that are not JSON stay with the tool that the model called, whose error says so. */
function forward(tool: ToolContract, call: ToolCallPart): ForwardedCall | undefined {
  if (call.malformedInput !== undefined) return undefined;
  return quietly(() => tool.forward?.(call.input));
}
