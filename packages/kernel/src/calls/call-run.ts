/** One tool call of a step, how far it has come, and where it may go from there. */
import type { JsonValue, ToolCallPart, Usage } from "../contracts/conversation.ts";
import type { PendingCall } from "../contracts/events.ts";
import type { Span } from "../contracts/logging.ts";
import type { OpenCall } from "../contracts/progress.ts";
import type { ToolContract, ToolResult } from "../contracts/tool.ts";
import type { Execution } from "./execution.ts";
import type { Gate } from "./gate.ts";

/** How far a call has come, with what there is only then. The first five stages can be acted on. */
export type CallState =
  /** `gate`: a decision that was asked for before its turn came. */
  | { readonly stage: "fresh"; readonly gate?: Promise<Gate> }
  /** It had started in a process that is gone. */
  | { readonly stage: "started" }
  | { readonly stage: "approved" }
  | { readonly stage: "denied"; readonly reason: string | undefined }
  /** Its result came from outside. */
  | { readonly stage: "answered"; readonly result: ToolResult }
  /** It waits for an answer or an approval. */
  | { readonly stage: "pending"; readonly pending: PendingCall }
  /** Its intent is on the way to the journal. */
  | { readonly stage: "starting" }
  | RunningCall
  /** A hook looks at a result that came from no execution here. */
  | { readonly stage: "reviewing" }
  /** Its result is on the way to the journal. */
  | { readonly stage: "settling"; readonly result: ToolResult }
  | { readonly stage: "settled"; readonly result: ToolResult };

export interface RunningCall {
  readonly stage: "running";
  readonly execution: Execution;
  /** On the injected clock, if there is one. */
  readonly startedAt: number | undefined;
  readonly span: Span | undefined;
}

const fresh: CallState = { stage: "fresh" };
const started: CallState = { stage: "started" };
const approved: CallState = { stage: "approved" };
const starting: CallState = { stage: "starting" };
const reviewing: CallState = { stage: "reviewing" };

export class CallRun {
  readonly call: ToolCallPart;
  readonly tool: ToolContract | undefined;
  #state: CallState = fresh;
  #hadStarted = false;
  /** What the tool gets, as JSON: the model's arguments unless a hook altered them. */
  input: JsonValue;
  /** Its idempotency key, once it is recorded or was asked for. */
  key: string | undefined;
  /** What the tool spent on models of its own. */
  usage: Usage | undefined;
  cost: number | undefined;

  constructor(call: ToolCallPart, tool: ToolContract | undefined) {
    this.call = call;
    this.tool = tool;
    this.input = call.input;
  }

  get state(): CallState {
    return this.#state;
  }

  /** Whether it had started in a process that is gone: then it is not known whether it has run. */
  get hadStarted(): boolean {
    return this.#hadStarted;
  }

  get pending(): PendingCall | undefined {
    return this.#state.stage === "pending" ? this.#state.pending : undefined;
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

  /** Whether its result is known, though perhaps not yet recorded. */
  get isDecided(): boolean {
    const { stage } = this.#state;
    return stage === "settling" || stage === "settled";
  }

  /** Takes over what is known of the call from outside. */
  assume(open: OpenCall): void {
    if (open.input !== undefined) this.input = open.input;
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
        return;
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

  /** Whether it waits for just this. What fits nothing is not taken. */
  isAnsweredBy({ state }: OpenCall): boolean {
    const { pending } = this;
    if (pending === undefined) return false;
    if (state === "approved") return pending.kind === "approval";
    return state === "settled" || state === "denied";
  }

  /** Keeps a decision that takes time until its turn comes. */
  expect(gate: Promise<Gate>): void {
    this.#state = { stage: "fresh", gate };
  }

  wait(pending: PendingCall): void {
    this.#state = { stage: "pending", pending };
  }

  /** It may run, without being asked about again. */
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

  /** Its result is recorded. */
  settle(result: ToolResult): void {
    this.#state = { stage: "settled", result };
  }

  /** What a caller has to pass in to go on from here. */
  toOpen(): OpenCall {
    const toolCallId = this.call.id;
    const { result, pending } = this;
    if (result !== undefined) {
      return { toolCallId, state: "settled", result, isRecorded: this.#state.stage === "settled" };
    }
    return pending === undefined
      ? { toolCallId, state: "fresh" }
      : { toolCallId, state: "pending", pending };
  }
}
