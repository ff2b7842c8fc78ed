/** Decides whether a call may run: its tool exists, its input is valid, and no hook objects. */
import type { CallRun } from "./call-run.ts";
import { failed, wrongValue } from "../effects/callbacks.ts";
import { isPromise } from "../effects/is-promise.ts";
import type { JsonValue } from "../contracts/conversation.ts";
import type { BeforeDecision } from "../contracts/dispatch.ts";
import type { PendingCall } from "../contracts/events.ts";
import type { InputIssue, ParsedInput, ToolContract } from "../contracts/tool.ts";
import { toText } from "../errors/errors.ts";
import { hashJson } from "../effects/hash.ts";
import { toJson } from "../effects/json.ts";
import { refusal } from "./tool-result.ts";
import type { TurnState } from "../turn/turn-state.ts";

export type Gate =
  /** `parsed`: the input after the tool's own check. */
  | { readonly action: "run"; readonly parsed: unknown }
  | { readonly action: "refuse"; readonly reason: string }
  | { readonly action: "wait"; readonly pending: PendingCall };

const proceed: BeforeDecision = { action: "run" };

/**
 * Decides what happens to a call. Hooks and `needsApproval` are asked about fresh calls only: an approved call runs as it was approved.
 * Returns synchronously unless a callback returns a promise. Fails if a callback fails.
 */
export function gateCall(turn: TurnState, call: CallRun, step: number): Gate | Promise<Gate> {
  const { tool } = call;
  if (tool === undefined)
    return refuse(
      refusal.unknownTool(
        call.call.name,
        turn.target.tools.map((known) => known.name),
      ),
    );
  if (call.call.malformedInput !== undefined) return refuse(refusal.malformedInput(call.call));
  const checked = checkInput(turn, call, tool);
  const { before } = turn.input.dispatch;
  const isSimple = before === undefined && typeof tool.needsApproval !== "function";
  const isFresh = call.state.stage === "fresh";
  if (isPromise(checked) || (isFresh && !isSimple)) {
    return gateSlowly(turn, call, tool, step, checked);
  }
  if (checked.issues !== undefined) return refuseInput(tool, checked.issues);
  if (isFresh && tool.needsApproval === true) return wait(turn, call, tool, "approval");
  return runOrWait(turn, call, tool, checked.value);
}

async function gateSlowly(
  turn: TurnState,
  call: CallRun,
  tool: ToolContract,
  step: number,
  checked: ParsedInput | Promise<ParsedInput>,
): Promise<Gate> {
  let parsed = await checked;
  if (parsed.issues !== undefined) return refuseInput(tool, parsed.issues);
  if (call.state.stage === "fresh") {
    const decision = toDecision(await askBefore(turn, call, step));
    if (decision.action === "block") return refuse(decision.reason);
    if (decision.action === "alter") {
      call.input = decision.input;
      parsed = await checkInput(turn, call, tool);
      if (parsed.issues !== undefined) return refuseInput(tool, parsed.issues);
    }
    if (decision.action === "ask") return wait(turn, call, tool, "approval", decision.reason);
    if (await needsApproval(turn, tool, call.input)) return wait(turn, call, tool, "approval");
  }
  return runOrWait(turn, call, tool, parsed.value);
}

function runOrWait(turn: TurnState, call: CallRun, tool: ToolContract, parsed: unknown): Gate {
  if (tool.execute === undefined) return wait(turn, call, tool, "execution");
  return { action: "run", parsed };
}

function checkInput(
  turn: TurnState,
  call: CallRun,
  tool: ToolContract,
): ParsedInput | Promise<ParsedInput> {
  if (tool.parseInput === undefined) return { value: call.input };
  // The label is built only if needed: this runs for every call.
  let parsed: ParsedInput | Promise<ParsedInput>;
  try {
    parsed = tool.parseInput(call.input);
  } catch (thrown) {
    throw failed(`parseInput of "${tool.name}"`, thrown);
  }
  return isPromise(parsed) ? turn.callbacks.take(`parseInput of "${tool.name}"`, parsed) : parsed;
}

function refuseInput(tool: ToolContract, issues: readonly InputIssue[]): Gate {
  return refuse(refusal.invalidInput(tool.name, issues));
}

function askBefore(
  turn: TurnState,
  call: CallRun,
  step: number,
): BeforeDecision | void | Promise<BeforeDecision | void> {
  const { dispatch } = turn.input;
  return turn.callbacks.call("the before hook", () =>
    dispatch.before?.({
      toolCallId: call.call.id,
      toolName: call.toolName,
      input: call.input,
      step,
    }),
  );
}

/** Returns the decision with fields of the right types. Throws if it is not a decision; then the call does not run. */
function toDecision(decided: BeforeDecision | void): BeforeDecision {
  if (decided === undefined || decided === null) return proceed;
  const { action, reason, input } = decided as Readonly<Record<string, unknown>>;
  switch (action) {
    case "run":
      return proceed;
    case "block":
      return { action, reason: hasText(reason) ? toText(reason) : refusal.blocked };
    case "ask":
      return { action, ...(hasText(reason) && { reason: toText(reason) }) };
    case "alter":
      return { action, input: toJson(input) ?? null };
    default:
      throw wrongValue("the before hook", decided, "a decision with a known action");
  }
}

function hasText(reason: unknown): boolean {
  return reason !== undefined && reason !== null && reason !== "";
}

function needsApproval(
  turn: TurnState,
  tool: ToolContract,
  input: JsonValue,
): boolean | Promise<boolean> {
  const { needsApproval: rule } = tool;
  if (typeof rule !== "function") return rule === true;
  return turn.callbacks.call(`needsApproval of "${tool.name}"`, () => rule(input));
}

function refuse(reason: string): Gate {
  return { action: "refuse", reason };
}

function wait(
  turn: TurnState,
  call: CallRun,
  tool: ToolContract,
  kind: PendingCall["kind"],
  reason?: string,
): Gate {
  const now = turn.surroundings.now();
  const { answerWithinMs = Infinity, lentBy } = tool;
  const deadlineAt = now === undefined ? Infinity : now + answerWithinMs;
  const pending: PendingCall = {
    toolCallId: call.call.id,
    kind,
    toolName: tool.name,
    input: call.input,
    hash: hashJson([tool.name, call.input, call.call.id]),
    ...(Number.isFinite(deadlineAt) && { deadlineAt }),
    ...(reason !== undefined && { reason }),
    ...(lentBy !== undefined && { lentBy }),
  };
  return { action: "wait", pending };
}
