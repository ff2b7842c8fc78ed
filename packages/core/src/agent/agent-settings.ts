/** Settings that an agent gives all its turns: its options, and the defaults of those that are absent. */
import type {
  ChatMessage,
  Deadlines,
  LoopContext,
  LoopLimits,
  PartReference,
  RetryPolicy,
  RunTurnInput,
  TurnLimits,
} from "@capstan/kernel";
import { leaveOut } from "../context/leave-out.ts";
import {
  defaultAttemptMs,
  defaultBetweenPartsMs,
  defaultCallbackMs,
  defaultContentMs,
  defaultFirstPartMs,
  defaultLiveOutputChars,
  defaultMaxAttempts,
  defaultMaxSteps,
  defaultPauses,
  defaultReplyCalls,
  defaultReplyChars,
  defaultToolMs,
} from "../platform/limits.ts";
import type { AgentContext, AgentInit, AgentLimits } from "./agent-init.ts";
import { checkOutput } from "./typed-output.ts";

/** The part of `runTurn`'s input that an agent decides: all that does not belong to one turn or to the process. */
export interface AgentSettings extends Omit<RunTurnInput, OfOneTurn> {
  readonly limits: LoopLimits;
  readonly context: LoopContext;
}

type OfOneTurn =
  | "conversationId"
  | "turnId"
  | "messages"
  | "input"
  | "emit"
  | "signal"
  | "now"
  | "clock"
  | "journal"
  | "drainSteering"
  | "onStepComplete";

/** Settings that are the same for every turn. */
type CommonSettings = Omit<AgentSettings, "provider" | "tools" | "providerOpts">;

const defaultClosing = {
  prompt:
    "You have no steps left. Report what was done, what is open, and what should be done next.",
};
const defaultRetry: RetryPolicy = { maxAttempts: defaultMaxAttempts };
const defaultDeadlines: Deadlines = {
  firstPartMs: defaultFirstPartMs,
  betweenPartsMs: defaultBetweenPartsMs,
  contentMs: defaultContentMs,
  attemptMs: defaultAttemptMs,
  toolMs: defaultToolMs,
  callbackMs: defaultCallbackMs,
};
const defaultLimits: TurnLimits = {
  replyChars: defaultReplyChars,
  replyCalls: defaultReplyCalls,
  pauses: defaultPauses,
  liveOutputChars: defaultLiveOutputChars,
};

/** Time limit of an agent's callbacks. */
export function callbackMsOf({ deadlines }: AgentInit): number {
  return deadlines?.callbackMs ?? defaultCallbackMs;
}

const madeSettings = new WeakMap<AgentInit, CommonSettings>();

/** Cached, because agents do not change. */
export function commonSettings(init: AgentInit): CommonSettings {
  let settings = madeSettings.get(init);
  if (settings === undefined) madeSettings.set(init, (settings = makeCommonSettings(init)));
  return settings;
}

function makeCommonSettings(init: AgentInit): CommonSettings {
  const { logger, cwd, output, closing = defaultClosing } = init;
  return {
    dispatch: init.dispatch ?? {},
    cwd,
    logger,
    limits: {
      ...withDefaults(defaultLimits, init.limits),
      ...limitsOf(init),
      retry: withDefaults(defaultRetry, init.retry),
      closing: closing === false ? undefined : closing,
      checkAnswer: output && (async (message) => (await checkOutput(output, message)).problem),
    },
    context: contextOf(init),
  };
}

/** Lists every field: a new field of the loop that is missing here does not compile. */
function limitsOf(init: AgentInit): Every<AgentLimits> {
  const { maxSteps = defaultMaxSteps, stopWhen } = init;
  return { maxSteps, stopWhen, deadlines: withDefaults(defaultDeadlines, init.deadlines) };
}

function contextOf({ transformContext, convertToLlm, onOverflow }: AgentInit): Every<AgentContext> {
  return {
    transformContext,
    convertToLlm,
    onOverflow: (error, messages) =>
      error.rejected === undefined
        ? onOverflow?.(error, messages)
        : without(error.rejected, messages),
  };
}

type Every<T> = { readonly [Field in keyof Required<T>]: T[Field] };

/** Merges the given values into the defaults. An undefined field counts as not given. */
function withDefaults<T extends object>(defaults: T, given: Partial<T> | undefined): T {
  if (given === undefined) return defaults;
  const chosen = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(chosen) };
}

/** Undefined if that changes nothing: the same request would be refused again. */
function without(
  rejected: PartReference,
  messages: readonly ChatMessage[],
): readonly ChatMessage[] | undefined {
  const shown = leaveOut(messages, [rejected]);
  return shown === messages ? undefined : shown;
}
