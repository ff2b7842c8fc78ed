/** What must be true before a call runs: its tool exists, its input is valid, nobody objects. */
import type { CallRun } from "./call-run.ts";
import { failed, wrongValue } from "../effects/callbacks.ts";
import { isPromise } from "../effects/is-promise.ts";
import type { JsonValue } from "../contracts/conversation.ts";
import type { BeforeDecision } from "../contracts/dispatch.ts";
import type { PendingCall } from "../contracts/events.ts";
import type { ParsedInput, ToolContract } from "../contracts/tool.ts";
import { toText } from "../errors/errors.ts";
import { hashJson } from "../effects/hash.ts";
import { toJson } from "../effects/json.ts";
import { refusal } from "./tool-result.ts";
import type { TurnState } from "../turn/turn-state.ts";

export type Gate =
  | { readonly action: "run" }
  | { readonly action: "refuse"; readonly reason: string }
  | { readonly action: "wait"; readonly pending: PendingCall };

const run: { readonly action: "run" } = { action: "run" };

/**
 * Decides what happens to a call. Hooks and `needsApproval` are asked for fresh calls only: what was approved is run as
 * it was approved. Answers at once where no callback makes it wait. Fails like the callbacks do.
 */
export function gateCall(turn: TurnState, call: CallRun, step: number): Gate | Promise<Gate> {
  const { tool } = call;
  if (tool === undefined)
    return refuse(
      refusal.unknownTool(
        call.call.name,
        turn.input.tools.map((known) => known.name),
      ),
    );
  if (call.call.malformedInput !== undefined) return refuse(refusal.malformedInput(call.call));
  const checked = checkInput(turn, call, tool);
  const { before } = turn.input.dispatch;
  const isSimple = before === undefined && typeof tool.needsApproval !== "function";
  if (isPromise(checked) || (call.stage === "fresh" && !isSimple)) {
    return gateSlowly(turn, call, tool, step, checked);
  }
  if (checked !== undefined) return refuse(checked);
  if (call.stage === "fresh" && tool.needsApproval === true)
    return wait(turn, call, tool, "approval");
  return tool.execute === undefined ? wait(turn, call, tool, "execution") : run;
}

async function gateSlowly(
  turn: TurnState,
  call: CallRun,
  tool: ToolContract,
  step: number,
  checked: string | undefined | Promise<string | undefined>,
): Promise<Gate> {
  const problem = await checked;
  if (problem !== undefined) return refuse(problem);
  if (call.stage === "fresh") {
    const decision = toDecision(await askBefore(turn, call, step));
    if (decision.action === "block") return refuse(decision.reason);
    if (decision.action === "alter") {
      call.input = decision.input;
      const alteredProblem = await checkInput(turn, call, tool);
      if (alteredProblem !== undefined) return refuse(alteredProblem);
    }
    if (decision.action === "ask") return wait(turn, call, tool, "approval", decision.reason);
    if (await needsApproval(turn, tool, call.input)) return wait(turn, call, tool, "approval");
  }
  return tool.execute === undefined ? wait(turn, call, tool, "execution") : run;
}

/** What is wrong with the input; nothing, if the call now has its parsed form. */
function checkInput(
  turn: TurnState,
  call: CallRun,
  tool: ToolContract,
): string | undefined | Promise<string | undefined> {
  if (tool.parseInput === undefined) {
    call.parsed = call.input;
    return undefined;
  }
  // The label is made only when it is needed: this is asked about every call.
  let parsed: ParsedInput | Promise<ParsedInput>;
  try {
    parsed = tool.parseInput(call.input);
  } catch (thrown) {
    throw failed(`parseInput of "${tool.name}"`, thrown);
  }
  if (!isPromise(parsed)) return take(call, parsed);
  return Promise.resolve(turn.callbacks.take(`parseInput of "${tool.name}"`, parsed)).then(
    (value) => take(call, value),
  );
}

function take(call: CallRun, parsed: ParsedInput): string | undefined {
  if (parsed.issues !== undefined) return refusal.invalidInput(call.call.name, parsed.issues);
  call.parsed = parsed.value;
  return undefined;
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
      toolName: call.call.name,
      input: call.input,
      step,
    }),
  );
}

/** The decision with fields of the right types. Throws for one that is none: the call does not run then. */
function toDecision(decided: BeforeDecision | void): BeforeDecision {
  if (decided === undefined || decided === null) return run;
  const { action, reason, input } = decided as Readonly<Record<string, unknown>>;
  switch (action) {
    case "run":
      return run;
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
