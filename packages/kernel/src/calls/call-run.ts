/** One tool call of a step and how far it has come. */
import type { JsonValue, ToolCallPart, Usage } from "../contracts/conversation.ts";
import type { PendingCall } from "../contracts/events.ts";
import type { Span } from "../contracts/logging.ts";
import type { OpenCall } from "../contracts/runtime.ts";
import type { ToolContract, ToolResult } from "../contracts/tool.ts";
import type { Execution } from "./execution.ts";
import type { Gate } from "./gate.ts";

/**
 * Where a call stands. `fresh`, `started`, `approved`, `denied` and `answered` can be acted on; `pending` waits for
 * somebody outside; `starting` has its intent on the way to the journal, `running` has effects, `settling` has its result
 * on the way.
 */
export type CallStage =
  | "fresh"
  | "started"
  | "approved"
  | "denied"
  | "answered"
  | "pending"
  | "starting"
  | "running"
  | "settling"
  | "settled";

export class CallRun {
  readonly call: ToolCallPart;
  readonly tool: ToolContract | undefined;
  stage: CallStage = "fresh";
  /** What the tool gets, as JSON: the model's arguments unless a hook altered them. */
  input: JsonValue;
  /** `input` after the tool's own check. */
  parsed: unknown;
  /** The key of an intent that is recorded. */
  key: string | undefined;
  /** It had started in a process that is gone, so nobody may say that it has not run. */
  hadStarted = false;
  pending: PendingCall | undefined;
  result: ToolResult | undefined;
  denialReason: string | undefined;
  startedAt: number | undefined;
  /** What the tool spent on models of its own. */
  usage: Usage | undefined;
  cost: number | undefined;
  /** A decision about it that was asked for before its turn came. */
  gate: Promise<Gate> | undefined;
  execution: Execution | undefined;
  span: Span | undefined;

  constructor(call: ToolCallPart, tool: ToolContract | undefined) {
    this.call = call;
    this.tool = tool;
    this.input = call.input;
  }

  get isWaiting(): boolean {
    return this.stage === "pending";
  }

  get isActionable(): boolean {
    return !this.isWaiting && !this.isUnderWay && !this.isDecided;
  }

  get isUnderWay(): boolean {
    return this.stage === "starting" || this.stage === "running";
  }

  /** Whether its result is known, though perhaps not yet recorded. */
  get isDecided(): boolean {
    return this.stage === "settling" || this.stage === "settled";
  }

  /** Whether it waits for just this. What fits nothing is not taken. */
  isAnsweredBy({ state }: OpenCall): boolean {
    if (!this.isWaiting) return false;
    if (state === "approved") return this.pending?.kind === "approval";
    return state === "settled" || state === "denied";
  }

  /** Takes over what is known of the call from outside. */
  assume(open: OpenCall): void {
    if (open.input !== undefined) this.input = open.input;
    switch (open.state) {
      case "fresh":
      case "approved":
        this.stage = open.state;
        return;
      case "denied":
        this.stage = "denied";
        this.denialReason = open.reason;
        return;
      case "started":
        this.stage = "started";
        this.hadStarted = true;
        this.key = open.key;
        return;
      case "pending":
        this.stage = "pending";
        this.pending = open.pending;
        this.input = open.pending.input;
        return;
      case "settled":
        this.stage = open.isRecorded === true ? "settled" : "answered";
        this.result = open.result;
        return;
      default:
        return open satisfies never;
    }
  }

  /** The other way round: what a caller has to pass in to go on from here. */
  toOpen(): OpenCall {
    const callId = this.call.id;
    if (this.result !== undefined) {
      return {
        callId,
        state: "settled",
        result: this.result,
        isRecorded: this.stage === "settled",
      };
    }
    if (this.pending !== undefined) return { callId, state: "pending", pending: this.pending };
    return { callId, state: "fresh" };
  }
}
