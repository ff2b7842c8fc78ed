/** The life of one tool call within its step: from the gate through its execution to the recorded result. */
import type { SuspendedFact } from "./call-facts.ts";
import { intentFact, resultFact, suspendedFact } from "./call-facts.ts";
import type { CallRun, RunningCall } from "./call-run.ts";
import { isAbortedCallback } from "../effects/callbacks.ts";
import { isPromise } from "../effects/is-promise.ts";
import type { SerializedError } from "../contracts/conversation.ts";
import type { ToolResult } from "../contracts/tool.ts";
import type { ResultTaker } from "./execution.ts";
import { Execution } from "./execution.ts";
import type { Gate } from "./gate.ts";
import { gateCall } from "./gate.ts";
import { recoverCall } from "./recover-call.ts";
import { reviewResult } from "./review.ts";
import type { SuspendedCall, Suspension } from "./suspend.ts";
import { completeSuspension } from "./suspend.ts";
import { quietly } from "../effects/quietly.ts";
import { idempotencyKey } from "./tool-context.ts";
import { deniedResult, errorResult, refusal, thrownResult } from "./tool-result.ts";
import { cleanResult } from "./tool-return.ts";
import type { TurnState } from "../turn/turn-state.ts";

/** The step that a call belongs to. It counts the calls that are under way, and continues when one of them settles. */
export interface StepOfCall extends ResultTaker {
  readonly turn: TurnState;
  readonly step: number;
  /** Whether every call has a result, though perhaps not yet recorded. */
  readonly isDecided: boolean;
  /** The call is under way. */
  onStart(): void;
  /** The call is no longer under way, and has no result. */
  onRelease(): void;
  /** The result of the call is recorded. */
  onSettle(wasRunning: boolean): void;
}

/** Advances one call until it runs, waits or is decided. Returns a promise only if a callback does. */
export function advanceCall(step: StepOfCall, run: CallRun): Promise<void> | undefined {
  const { state } = run;
  switch (state.stage) {
    case "fresh":
      return gate(step, run, state.gate);
    case "started":
      return recover(step, run);
    case "denied":
      recordResult(step, run, deniedResult(state.reason));
      return undefined;
    case "answered":
      takeResult(step, run, cleanResult(state.result));
      return undefined;
    default:
      return gate(step, run);
  }
}

/** Takes a result from a tool or from outside: the hook reviews it, then it is recorded. */
export function takeResult(step: StepOfCall, run: CallRun, result: ToolResult): void {
  const isTerminal = run.tool?.isTerminal === true && !result.isError;
  const taken = isTerminal ? { ...result, isTerminal } : result;
  const reviewed = reviewResult(step.turn, run, step.step, taken);
  if (!isPromise(reviewed)) return recordResult(step, run, reviewed);
  if (!run.isUnderWay) {
    run.review();
    step.onStart();
  }
  // `reviewResult` never fails; if recording fails, the turn must fail too.
  reviewed
    .then((value) => recordResult(step, run, value))
    .catch((thrown: unknown) => step.turn.failWith(thrown));
}

/** Takes a suspension from a running tool: the call waits once that is recorded. A suspension that is not complete is an error result. */
export function takeSuspension(
  step: StepOfCall,
  run: CallRun,
  suspension: Suspension,
  isNested: boolean,
): void {
  const { state } = run;
  const { turn } = step;
  if (state.stage !== "running") return;
  let fact: SuspendedFact;
  try {
    const complete = completeSuspension(suspension, toSuspend(turn, run));
    fact = suspendedFact(run, step.step, isNested ? { ...complete, isNested } : complete);
  } catch (thrown) {
    return takeResult(step, run, thrownResult(thrown));
  }
  run.beginSuspension();
  end(turn, run, state, suspendedResult);
  if (run.usage !== undefined) turn.countUsage(run.usage);
  run.usage = undefined;
  run.cost = undefined;
  turn.record(fact, () => {
    run.suspend(fact.pending);
    step.onRelease();
  });
  // Other calls of the step may still be running. If the journal fails, the turn does.
  turn.flush()?.catch(() => {});
}

/** For the trace of a call that was suspended: it has neither failed nor returned anything. */
const suspendedResult: ToolResult = { isError: false, output: "(suspended)" };

function toSuspend(turn: TurnState, { call, tool, toolName }: CallRun): SuspendedCall {
  const now = turn.surroundings.now() ?? Infinity;
  const deadlineAt = now + (tool?.answerWithinMs ?? Infinity);
  return { toolCallId: call.id, toolName, deadlineAt };
}

/** Decides a call without running it here. */
export function refuseCall(step: StepOfCall, run: CallRun, reason: string): void {
  recordResult(step, run, errorResult(run.hadStarted ? refusal.unknownOutcome : reason));
}

/** Decides a call. The first result counts; it is shown after it is recorded. */
export function recordResult(step: StepOfCall, run: CallRun, result: ToolResult): void {
  if (run.isDecided) return;
  const { state, isUnderWay: wasRunning } = run;
  const { turn } = step;
  run.decide(result);
  const durationMs = state.stage === "running" ? end(turn, run, state, result) : undefined;
  if (run.usage !== undefined) turn.countUsage(run.usage);
  const onRecorded = (): void => {
    run.settle(result);
    step.onSettle(wasRunning);
  };
  const fact = resultFact(run, step.step, result, durationMs);
  turn.record(fact, onRecorded, step.isDecided && turn.isContinuedAtOnce);
  // A running call settles by itself; the caller flushes the others together.
  if (wasRunning) turn.flush()?.catch(() => {});
}

function gate(
  step: StepOfCall,
  run: CallRun,
  decision?: Gate | Promise<Gate>,
): Promise<void> | undefined {
  try {
    const gate = decision ?? gateCall(step.turn, run, step.step);
    if (isPromise(gate)) return passLater(step, run, gate);
    pass(step, run, gate);
  } catch (thrown) {
    failGate(step, run, thrown);
  }
  return undefined;
}

function passLater(step: StepOfCall, run: CallRun, gate: Promise<Gate>): Promise<void> {
  return gate.then(
    (decided) => pass(step, run, decided),
    (thrown: unknown) => failGate(step, run, thrown),
  );
}

/** After an abort the call stays as it is: it is refused together with the others. */
function failGate(step: StepOfCall, run: CallRun, thrown: unknown): void {
  if (!isAbortedCallback(thrown)) recordResult(step, run, thrownResult(thrown));
}

function pass(step: StepOfCall, run: CallRun, gate: Gate): void {
  const { turn } = step;
  if (turn.isStopped) return;
  if (gate.action === "run") return start(step, run, gate.parsed);
  if (gate.action === "refuse") return refuseCall(step, run, gate.reason);
  run.wait(gate.pending);
  turn.record({ type: "pending", step: step.step, pending: [gate.pending] });
}

async function recover(step: StepOfCall, run: CallRun): Promise<void> {
  const recovered = await recoverCall(step.turn, run, step.step);
  if (step.turn.isStopped) return;
  if (recovered !== "rerun") return takeResult(step, run, recovered);
  // The intent is recorded and the hooks have let the call pass: it runs with the same key and input.
  run.approve();
  await gate(step, run);
}

/**
 * Starts calls together with the record of their reply, if each of them would start now anyway: no hook is asked. Their tools run once the reply
 * and their intents are stored. Pure calls have no intent, so they start when their turn comes, which is then.
 */
export function startTogether(step: StepOfCall, runs: readonly CallRun[]): void {
  if (runs.every(isPure)) return;
  const gates: RunGate[] = [];
  for (const run of runs) {
    const { execute: local, needsApproval } = run.tool ?? {};
    if (local === undefined) return;
    if (needsApproval !== undefined && needsApproval !== false) return;
    // A failure, a refusal or a promise is handled when the call's turn comes.
    const gate = quietly(() => gateCall(step.turn, run, step.step));
    if (isPromise(gate)) return run.expect(gate);
    if (gate?.action !== "run") return;
    gates.push(gate);
  }
  for (const [index, run] of runs.entries()) {
    // In range: there is one for each.
    const gate = gates[index] as RunGate;
    if (isPure(run)) run.expect(gate);
    else start(step, run, gate.parsed);
  }
}

type RunGate = Extract<Gate, { readonly action: "run" }>;

function isPure({ tool }: CallRun): boolean {
  return tool?.effect === "pure";
}

function start(step: StepOfCall, run: CallRun, parsed: unknown): void {
  const { turn } = step;
  run.start();
  step.onStart();
  const isNoted = run.hadStarted || isPure(run);
  if (isNoted || turn.outbox === undefined) return execute(step, run, parsed);
  run.key = idempotencyKey(turn, run.call.id);
  turn.record(intentFact(run, step.step, run.key), () => execute(step, run, parsed));
}

function execute(step: StepOfCall, run: CallRun, parsed: unknown): void {
  const { turn } = step;
  if (turn.isStopped) return release(step, run);
  const { input, toolName } = run;
  const { id: toolCallId } = run.call;
  // The listener may abort the turn: nothing has run until the tool is called.
  turn.emit({ ...turn.ids, type: "tool_execution_start", toolCallId, toolName, input });
  if (turn.isStopped) return release(step, run);
  const startedAt = turn.surroundings.now();
  // A resumed step has no span in this process.
  const parent = turn.underWay?.span ?? turn.span;
  const span = turn.spans?.start("tool", { toolCallId, toolName, step: step.step }, parent);
  const execution = new Execution(turn, run, step.step, parsed, step, span);
  run.run({ stage: "running", execution, startedAt, span });
  execution.start(startedAt);
}

/** The turn stopped just before the call would have run: the call has not run, and will not. */
function release(step: StepOfCall, run: CallRun): void {
  run.approve();
  step.onRelease();
}

/** Error of a call whose tool threw nothing: its output is content. */
const failedCall: SerializedError = { name: "ToolError", message: "The call failed" };

/** Ends an execution. Returns its duration, if there is a clock. */
function end(
  turn: TurnState,
  { input }: CallRun,
  { execution, span, startedAt }: RunningCall,
  { isError, output }: ToolResult,
): number | undefined {
  execution.stop();
  if (span !== undefined) {
    if (turn.spans?.hasContent === true) span.setContent?.({ input, output });
    span.end(isError ? (execution.failure ?? failedCall) : undefined);
  }
  const endedAt = startedAt === undefined ? undefined : turn.surroundings.now();
  return endedAt === undefined || startedAt === undefined ? undefined : endedAt - startedAt;
}
