/** Turns under any circumstances: what provider and tools do, when it is aborted, what the journal does, what breaks. */
import type {
  AgentEvent,
  Fact,
  Journal,
  OpenCall,
  PendingCall,
  RunTurnInput,
} from "@capstan/kernel";
import { manualClock, runToEnd, scriptedProvider } from "@capstan/testing";
import type { DeferredTool, FinishedTurn, ManualClock, ScriptItem } from "@capstan/testing";
import * as fc from "fast-check";
import { callbackNames, callbacksOf, goWrong } from "./arbitrary-callbacks.ts";
import type { CallbackScript, Fault } from "./arbitrary-callbacks.ts";
import { anyEntry, entryOf } from "./arbitrary-entry.ts";
import type { EnteredCall } from "./arbitrary-entry.ts";
import { anyScript } from "./arbitrary-script.ts";
import { everyTool } from "./arbitrary-tools.ts";

export interface Circumstances extends CallbackScript {
  readonly script: readonly ScriptItem[];
  /** The turn is entered in the middle of a step with these calls. */
  readonly entered: readonly EnteredCall[] | undefined;
  readonly hasNow: boolean;
  /** Without it only an abort ends a hang, so there is one at last. */
  readonly hasTimer: boolean;
  /** The turn is aborted while this event is shown, or when it waits for the clock or a tool for the nth time. */
  readonly abortAt: { readonly event: number } | { readonly wait: number } | undefined;
  readonly maxAttempts: number;
  /** The turn runs out of time, if there is a timer. */
  readonly turnMs: number | undefined;
  readonly dispatch: Pick<RunTurnInput["dispatch"], "mode" | "steering" | "maxParallel">;
  readonly maxSteps: number;
  readonly isClosing: boolean;
  /** Which of the deferred tools that run is next to end. */
  readonly settlementOrder: readonly number[];
  readonly journal:
    | { readonly isAsync: boolean; readonly failsAt: number | undefined; readonly fault: Fault }
    | undefined;
}

/** Everything that happened, in its order. */
export type Happening =
  | { readonly type: "fact"; readonly fact: Fact }
  | { readonly type: "event"; readonly event: AgentEvent }
  | {
      readonly type: "run";
      readonly toolCallId: string;
      readonly isPure: boolean;
      /** The tool says that a second run does no harm, or can tell whether the first took effect. */
      readonly mayRepeat: boolean;
    }
  | { readonly type: "abort" }
  /** The journal was called; what it was told is a fact only once it has answered. */
  | { readonly type: "journal" }
  /** The journal was called while an earlier call was under way. */
  | { readonly type: "overlap" };

export interface ObservedTurn extends FinishedTurn {
  readonly happenings: readonly Happening[];
  readonly hasJournal: boolean;
  /** How the calls stood that the turn was entered with. */
  readonly entered: readonly OpenCall[] | undefined;
  readonly timersLeft: number;
}

/** Rather not, so that most turns get far. */
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ arbitrary: fc.constant(undefined), weight: 2 }, arbitrary);

const anyFault = fc.constantFrom<Fault>("throws", "rejects", "hangs");

export const circumstances: fc.Arbitrary<Circumstances> = fc.record({
  script: anyScript,
  entered: maybe(anyEntry),
  hasNow: fc.boolean(),
  hasTimer: fc.boolean(),
  abortAt: maybe(
    fc.oneof(
      fc.record({ event: fc.integer({ min: 1, max: 60 }) }),
      fc.record({ wait: fc.integer({ min: 1, max: 5 }) }),
    ),
  ),
  maxAttempts: fc.integer({ min: 1, max: 3 }),
  turnMs: maybe(fc.constantFrom(300, 600, 1_200, 40_000)),
  dispatch: fc.record(
    {
      mode: fc.constantFrom("parallel", "sequential"),
      steering: fc.constantFrom("after-batch", "skip-remaining"),
      maxParallel: fc.integer({ min: 1, max: 3 }),
    },
    { requiredKeys: [] },
  ),
  maxSteps: fc.constantFrom(1, 2, 6),
  isClosing: fc.boolean(),
  steering: fc.array(fc.nat({ max: 2 }), { maxLength: 3 }),
  callbacks: fc.oneof(
    fc.constant(callbackNames),
    fc.subarray([...callbackNames]),
    fc.constantFrom(["answers"] as const, ["answers", "before"] as const),
  ),
  areAsync: fc.boolean(),
  broken: maybe(
    fc.record({
      callback: fc.constantFrom(...callbackNames),
      fault: anyFault,
      at: fc.nat({ max: 4 }),
    }),
  ),
  answers: fc.array(fc.constantFrom("approved", "denied", "settled", "none"), { maxLength: 5 }),
  verdicts: fc.array(fc.constantFrom("pass", "pass", "reject", "retry"), { maxLength: 5 }),
  isIncremental: fc.boolean(),
  decisions: fc.array(fc.constantFrom("run", "block", "ask", "alter"), { maxLength: 5 }),
  settlementOrder: fc.array(fc.nat({ max: 3 }), { maxLength: 6 }),
  journal: fc.option(
    fc.record({
      isAsync: fc.boolean(),
      failsAt: maybe(fc.nat({ max: 20 })),
      fault: anyFault,
    }),
    { nil: undefined, freq: 2 },
  ),
});

/** One turn under these circumstances, driven by a clock of its own. */
export async function runUnder(
  given: Circumstances,
  { showsFacts = true }: { readonly showsFacts?: boolean } = {},
): Promise<ObservedTurn> {
  const clock = manualClock();
  const controller = new AbortController();
  const happenings: Happening[] = [];
  const abort = (): void => {
    happenings.push({ type: "abort" });
    controller.abort();
  };
  const waiting: PendingCall[] = [];
  const { emit, before, after, parseInput, needsApproval, reconcile, ...callbacks } = callbacksOf(
    given,
    waiting,
  );
  const { transformContext, convertToLlm, onOverflow, stopWhen, checkLimits } = callbacks;
  const { drainSteering, onStepComplete, hasSteering, answers } = callbacks;
  const { prepareStep, guardInput, guardOutput } = callbacks;
  const tools = everyTool(
    ({ toolCallId }, { effect, reconcile: canTell }) => {
      const mayRepeat = effect === "pure" || effect === "idempotent" || canTell !== undefined;
      happenings.push({ type: "run", toolCallId, isPure: effect === "pure", mayRepeat });
    },
    {
      ...(parseInput && { parseInput }),
      ...(needsApproval && { needsApproval }),
      ...(reconcile && { reconcile }),
    },
  );
  const { event: abortEvent, wait: abortWait } = { event: 0, wait: 0, ...given.abortAt };
  const entry = given.entered && entryOf(given.entered);
  waiting.push(
    ...(entry?.open ?? []).flatMap((call) => (call.state === "pending" ? [call.pending] : [])),
  );
  let shown = 0;
  const running = runToEnd({
    provider: scriptedProvider(given.script),
    ...(entry && { messages: entry.messages }),
    tools: tools.all,
    dispatch: { ...given.dispatch, ...(before && { before }), ...(after && { after }) },
    signal: controller.signal,
    journal: {
      isShown: !showsFacts,
      hasSteering,
      answers,
      ...(entry && { open: entry.open, prior: entry.prior }),
      ...(given.journal && { record: journalOf(given.journal, happenings) }),
    },
    emit: (event) => {
      happenings.push({ type: "event", event });
      if (event.type === "awaiting_tool_execution") waiting.push(...event.pending);
      shown += 1;
      if (shown === abortEvent) abort();
      return emit?.(event);
    },
    ...(given.hasNow && { now: clock.now }),
    clock: { ...(given.hasTimer && { timer: clock.timer }) },
    limits: {
      retry: { maxAttempts: given.maxAttempts },
      ...(given.turnMs !== undefined && { deadlines: { turnMs: given.turnMs } }),
      maxSteps: given.maxSteps,
      ...(given.isClosing && { closing: { prompt: "Report" } }),
      stopWhen,
      checkLimits,
    },
    guards: { input: guardInput, output: guardOutput, isIncremental: given.isIncremental },
    context: { prepareStep, transformContext, convertToLlm, onOverflow },
    drainSteering,
    onStepComplete,
  });
  const settleNext = settlingIn(given.settlementOrder, tools.later);
  const turn = await drive(running, { clock, settleNext, abort, abortWait });
  return {
    ...turn,
    happenings,
    hasJournal: given.journal !== undefined,
    entered: entry?.open,
    timersLeft: clock.pending(),
  };
}

interface Driver {
  readonly clock: ManualClock;
  settleNext(): boolean;
  abort(): void;
  readonly abortWait: number;
}

/** Ends deferred calls one by one, then moves the clock. Where nothing else can end the turn, an abort must. */
async function drive<T>(
  running: Promise<T>,
  { clock, settleNext, abort, abortWait }: Driver,
): Promise<T> {
  const state = { isOver: false, isAborted: false };
  const onOver = (): void => {
    state.isOver = true;
  };
  running.then(onOver, onOver);
  for (let waits = 1; ; waits += 1) {
    await clock.advance(0);
    if (state.isOver) return running;
    if (waits === abortWait) abort();
    else if (settleNext() || (await clock.advanceToNext())) continue;
    else if (state.isAborted) throw new Error("The turn hangs, and not even an abort ends it");
    else {
      state.isAborted = true;
      abort();
    }
  }
}

function settlingIn(order: readonly number[], later: DeferredTool): () => boolean {
  const settled = new Set<string>();
  const places = [...order];
  return () => {
    const open = later.started.filter((call) => !settled.has(call.toolCallId));
    const next = open[(places.shift() ?? 0) % open.length];
    if (next === undefined) return false;
    settled.add(next.toolCallId);
    later.resolve(next.toolCallId, "at last");
    return true;
  };
}

function journalOf(
  { isAsync, failsAt, fault }: NonNullable<Circumstances["journal"]>,
  happenings: Happening[],
): Journal {
  let calls = 0;
  let isBusy = false;
  return (facts) => {
    happenings.push({ type: isBusy ? "overlap" : "journal" });
    if (calls++ === failsAt) return goWrong(fault) as undefined;
    const note = (): undefined => {
      isBusy = false;
      for (const fact of facts) happenings.push({ type: "fact", fact });
    };
    if (!isAsync) return note();
    isBusy = true;
    return Promise.resolve().then(note);
  };
}
