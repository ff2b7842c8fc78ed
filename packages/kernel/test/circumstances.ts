/** Turns under any circumstances: what the provider does, when the turn is aborted, which callback is broken. */
import type { ChatMessage, Journal, RunTurnInput, ToolContract } from "@capstan/kernel";
import {
  deferredTool,
  echoTool,
  failingTool,
  manualClock,
  remoteTool,
  runToEnd,
  scriptedProvider,
} from "@capstan/testing";
import type { FinishedTurn, ScriptItem } from "@capstan/testing";
import * as fc from "fast-check";
import { anyScript } from "./arbitrary-script.ts";

const callbackNames = [
  "transformContext",
  "convertToLlm",
  "stopWhen",
  "drainSteering",
  "checkLimits",
  "recover",
  "onStepComplete",
  "hasSteering",
  "answers",
  "emit",
  "before",
  "after",
  "parseInput",
  "needsApproval",
] as const;

type Fault = "throws" | "rejects" | "hangs";

export interface Circumstances {
  readonly script: readonly ScriptItem[];
  /** Without it only an abort ends a hang, so there is one at last. */
  readonly hasTimer: boolean;
  /** The turn is aborted while this event is shown. */
  readonly abortAt: number | undefined;
  readonly maxAttempts: number;
  readonly mode: "parallel" | "sequential";
  readonly isClosing: boolean;
  /** User messages that wait at the first tool-result boundaries. */
  readonly steering: readonly number[];
  readonly isSkipping: boolean;
  readonly broken: readonly [(typeof callbackNames)[number], Fault] | undefined;
  /** The journal answers with a promise, and fails at this call. */
  readonly journal: { readonly isAsync: boolean; readonly failsAt: number | undefined } | undefined;
}

const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined });

export const circumstances: fc.Arbitrary<Circumstances> = fc.record({
  script: anyScript,
  hasTimer: fc.boolean(),
  abortAt: maybe(fc.integer({ min: 1, max: 40 })),
  maxAttempts: fc.integer({ min: 1, max: 3 }),
  mode: fc.constantFrom("parallel", "sequential"),
  isClosing: fc.boolean(),
  steering: fc.array(fc.nat({ max: 2 }), { maxLength: 3 }),
  isSkipping: fc.boolean(),
  broken: maybe(
    fc.tuple(
      fc.constantFrom(...callbackNames),
      fc.constantFrom<Fault>("throws", "rejects", "hangs"),
    ),
  ),
  journal: maybe(fc.record({ isAsync: fc.boolean(), failsAt: maybe(fc.nat({ max: 20 })) })),
});

/** One turn under these circumstances, driven by a clock of its own. */
export async function runUnder(given: Circumstances): Promise<FinishedTurn> {
  const clock = manualClock();
  const controller = new AbortController();
  let shown = 0;
  const steering = given.steering.map((count, at) => messagesFor(at, count));
  const { before, after, parseInput, needsApproval, emit, ...callbacks } = brokenCallbacks(given);
  const running = runToEnd({
    provider: scriptedProvider(given.script),
    tools: toolsWith({
      ...(parseInput && { parseInput }),
      ...(needsApproval && { needsApproval }),
    }),
    dispatch: {
      mode: given.mode,
      steering: given.isSkipping ? "skip-remaining" : "after-batch",
      ...(before && { before }),
      ...(after && { after }),
    },
    signal: controller.signal,
    emit: (event) => {
      shown += 1;
      if (shown === given.abortAt) controller.abort();
      return emit?.(event);
    },
    now: clock.now,
    ...(given.hasTimer && { timer: clock.timer }),
    retry: { maxAttempts: given.maxAttempts },
    maxSteps: 6,
    drainSteering: () => steering.shift() ?? [],
    hasSteering: () => (steering[0] ?? []).length > 0,
    ...(given.isClosing && { closing: { prompt: "Report" } }),
    ...(given.journal && { journal: journalOf(given.journal) }),
    ...callbacks,
  });
  await clock.advance(0);
  if (!given.hasTimer) controller.abort();
  return clock.runUntil(running);
}

function toolsWith(overrides: Partial<ToolContract>): ToolContract[] {
  return [
    echoTool(overrides),
    failingTool({ execution: "sequential" }),
    remoteTool({ answerWithinMs: 1_000 }),
    deferredTool({ name: "slow", timeoutMs: 500, effect: "pure" }),
  ];
}

function messagesFor(boundary: number, count: number): ChatMessage[] {
  return Array.from({ length: count }, (_, at) => {
    return { role: "user", id: `steer-${boundary}-${at}`, content: "Only indoors" };
  });
}

function journalOf(given: NonNullable<Circumstances["journal"]>): Journal {
  let calls = 0;
  return () => {
    calls += 1;
    if (calls - 1 === given.failsAt) {
      const error = new Error("disk full");
      if (given.isAsync) return Promise.reject(error);
      throw error;
    }
    return given.isAsync ? Promise.resolve(undefined) : undefined;
  };
}

type Broken = Partial<RunTurnInput> &
  Pick<Partial<ToolContract>, "parseInput" | "needsApproval"> &
  Pick<RunTurnInput["dispatch"], "before" | "after">;

function brokenCallbacks(given: Circumstances): Broken {
  if (given.broken === undefined) return {};
  const [name, fault] = given.broken;
  const callback = (): unknown => {
    if (fault === "throws") throw new Error("broken");
    return fault === "rejects" ? Promise.reject(new Error("broken")) : new Promise(() => {});
  };
  // Some of these may not return promises by their types; in JavaScript they can all the same.
  return { [name]: callback };
}
