/** Plans one turn of an agent: resolves every choice, name and function. */
import type {
  ChatMessage,
  Deadlines,
  LoopContext,
  LoopLimits,
  PartReference,
  ProviderContract,
  RunTurnInput,
  Timer,
  TurnLimits,
  Usage,
} from "@capstan/kernel";
import { isPromise, withApiKey } from "@capstan/kernel";
import type { EntryOf, MaybePromise, SessionConfig } from "@capstan/log";
import { andThen } from "@capstan/log";
import type { CompactionPlan } from "../compaction/compaction-options.ts";
import { needsWindow, planCompaction, unknownWindow } from "../compaction/compaction-options.ts";
import { leaveOut } from "../context/leave-out.ts";
import type { ResolvedLimits } from "../outputs/output-limits.ts";
import { resolveLimits } from "../outputs/output-limits.ts";
import type { OutputReader } from "../outputs/output-reader.ts";
import { readOutputTool, withReadOutput } from "../outputs/read-output.ts";
import type { RequestFrame } from "../context/token-count.ts";
import { problemOfMedia } from "../media/check-media.ts";
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
import { within } from "../platform/within.ts";
import { bindTools } from "../tools/bind-tools.ts";
import type { DependencyScope } from "../tools/dependency-scope.ts";
import { createScope } from "../tools/dependency-scope.ts";
import type { AnyTool } from "../tools/tool.ts";
import type { AgentContext, AgentInit, AgentLimits, TurnOverrides } from "./agent-init.ts";
import { exceeded } from "./budgets.ts";
import { chooseTools, toolsInPrompt } from "./chosen-tools.ts";
import { findWindow } from "../models/find-window.ts";
import { costOf } from "../models/cost.ts";
import { instructionsOf } from "./instructions.ts";
import type { Model, ModelChoice } from "../models/model.ts";
import { withFacts } from "../models/known-facts.ts";
import { findModel, modelNamed, nameOf, toModel, windowOf } from "../models/model.ts";
import { providerOptions } from "./provider-options.ts";
import type { Summarizer } from "../compaction/summarizer.ts";
import { toSummarizer } from "../compaction/summarizer.ts";
import { checkOutput } from "./typed-output.ts";

/** The part of `runTurn`'s input that an agent decides: all that does not belong to one turn or to the process. */
interface AgentSettings extends Omit<RunTurnInput, OfOneTurn> {
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

/** Prefix of every request of the turn. */
type Prompt = Pick<EntryOf<"prompt">, "instructions" | "toolsHash" | "toolsChars">;

export interface TurnPlan {
  readonly model: Model;
  /** Undefined if it could not be resolved: then it is still unknown. */
  readonly prompt: Prompt | undefined;
  readonly settings: AgentSettings;
  /** How many of its outputs each tool keeps, and the size limits of one output and of all. */
  readonly ephemeral: ReadonlyMap<string, number>;
  readonly outputs: ResolvedLimits;
  /** Whether the model can read the omitted parts of an output. */
  readonly canReadOutputs: boolean;
  /** How the context of the session is compacted; undefined if it is not. */
  readonly compaction: CompactionPlan | undefined;
  /** Parts of every request besides its messages. */
  readonly frame: RequestFrame;
  /** Resolves the model that writes summaries. */
  summarizer(): MaybePromise<Summarizer>;
  /** Whether the cost is needed. */
  readonly hasCost: boolean;
  /** Cost of a usage; undefined if it is not needed or not known. `name` is the model's name, if the plan's model falls back on others. */
  cost(usage: Usage | undefined, name?: string): number | undefined;
  /** Ends the dependencies that were made for this turn. */
  dispose(): MaybePromise<void>;
}

export interface PlanRequest {
  readonly agentName: string;
  readonly sessionId: string;
  readonly overrides?: TurnOverrides;
  /** Settings of the session. */
  readonly config?: SessionConfig;
  /** Prefix of the session's requests so far. */
  readonly prompt?: Prompt | undefined;
  /** Models passed to the session in this process. */
  readonly models?: readonly Model[];
  /** Cost of the chain of turns so far, including its tools. */
  readonly spent?: () => number | undefined;
  /** Whether the turn belongs to a session, whose context is compacted. */
  readonly isOfSession?: boolean;
  /** Scope of dependencies that live as long as the session. */
  readonly sessionScope?: DependencyScope;
  /** Reads the stored outputs of the session. */
  readonly outputs?: OutputReader;
  readonly now?: () => number;
  /** Limits the time of the agent's callbacks. */
  readonly timer?: Timer;
}

const defaultClosing = {
  prompt:
    "You have no steps left. Report what was done, what is open, and what should be done next.",
};
const defaultRetry = { maxAttempts: defaultMaxAttempts };
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

/** Settings that are the same for every turn. */
type CommonSettings = Omit<AgentSettings, "provider" | "tools" | "providerOpts">;

/**
 * Never fails: if the model, a tool or the instructions are not available, the turn fails with the reason. Synchronous if nothing has to be
 * awaited.
 */
export function planTurn(init: AgentInit, request: PlanRequest): MaybePromise<TurnPlan> {
  try {
    const resolved = resolveChoices(init, request);
    if (!isPromise(resolved)) return toPlan(init, request, resolved);
    const limitMs = callbackMsOf(init);
    const limited = within(request.timer, limitMs, resolved, "resolveModel or instructions");
    return limited.then(
      (choices) => toPlan(init, request, choices),
      (thrown: unknown) => toPlan(init, request, unresolved(thrown)),
    );
  } catch (thrown) {
    return toPlan(init, request, unresolved(thrown));
  }
}

/** Plan for a turn that ends before it begins: resolves nothing. */
export function planNothing(init: AgentInit): TurnPlan {
  const unused = { agentName: "", sessionId: "" };
  return toPlan(init, unused, unresolved(new Error("The turn was aborted before it began")));
}

/** Time limit of an agent's callbacks. */
export function callbackMsOf({ deadlines }: AgentInit): number {
  return deadlines?.callbackMs ?? defaultCallbackMs;
}

interface ResolvedChoices {
  readonly model: Model;
  /** Context window that no list has: reported by the server, or assumed. */
  readonly window?: number;
  readonly instructions: string | undefined;
  readonly tools: readonly AnyTool[];
  /** False if a substitute is used because something was not available. */
  readonly isResolved?: boolean;
}

function resolveChoices(init: AgentInit, request: PlanRequest): MaybePromise<ResolvedChoices> {
  const { overrides = {}, config = {}, prompt, sessionId, agentName: agent } = request;
  const tools = chooseTools(init.tools ?? noTools, config.tools);
  const choice = overrides.model ?? config.model ?? init.model;
  const sized = andThen(knownModel(choice, init, request), (known) =>
    withWindow(known, init, request),
  );
  const isAsked = config.instructions === undefined && typeof init.instructions === "function";
  const instructions =
    isAsked && prompt !== undefined
      ? prompt.instructions
      : instructionsOf(config.instructions ?? init.instructions, { agent, sessionId, tools });
  if (!isPromise(sized) && !isPromise(instructions)) {
    return { ...sized, instructions, tools };
  }
  return Promise.all([sized, instructions]).then(([sized, instructions]) => ({
    ...sized,
    instructions,
    tools,
  }));
}

/** Throws if the window is unknown and the caller has configured compaction that needs it. */
function withWindow(
  model: Model,
  { compaction, getApiKey, logger }: AgentInit,
  { isOfSession, timer }: PlanRequest,
): MaybePromise<Pick<ResolvedChoices, "model" | "window">> {
  const isKnown = windowOf(model) !== undefined;
  if (isKnown || isOfSession !== true || !needsWindow(compaction)) return { model };
  if (compaction !== undefined) throw unknownWindow(model);
  return andThen(findWindow(model, { getApiKey, timer, logger }), (window) => ({ model, window }));
}

const noTools: readonly AnyTool[] = [];

function knownModel(
  choice: ModelChoice,
  init: AgentInit,
  request: PlanRequest,
): MaybePromise<Model> {
  const models = knownModels(init, request.models);
  const found = findModel(choice, { models, resolveModel: init.resolveModel });
  return withFacts(found, init.registry);
}

/** A model that does something for a session besides its turns. */
function otherModel(
  choice: ModelChoice,
  init: AgentInit,
  request: PlanRequest,
  instructions: string | undefined,
): MaybePromise<Omit<Summarizer, "cost">> {
  const { sessionId, timer } = request;
  const found = knownModel(choice, init, request);
  const known = isPromise(found) ? within(timer, callbackMsOf(init), found, "resolveModel") : found;
  return andThen(known, (model) => ({
    model,
    provider: keyed(init, request, model),
    providerOpts: providerOptions(init, { model, instructions, sessionId }),
  }));
}

function keyed(init: AgentInit, { timer }: PlanRequest, { provider }: Model): ProviderContract {
  return withApiKey(provider, init.getApiKey, (key) =>
    within(timer, callbackMsOf(init), key, "getApiKey"),
  );
}

/** Models available without calling `resolveModel`. */
export function knownModels(init: AgentInit, models: readonly Model[] = []): readonly Model[] {
  const own = typeof init.model === "string" ? [] : [toModel(init.model)];
  // A model passed to the session takes precedence.
  return [...models, ...own, ...(init.models ?? [])];
}

function toPlan(
  init: AgentInit,
  request: PlanRequest,
  { model, window, instructions, tools, isResolved = true }: ResolvedChoices,
): TurnPlan {
  const { sessionScope, sessionId, now, spent } = request;
  const { budgets } = init;
  const scope =
    sessionScope === undefined ? sessionScopeOf(init) : createScope({ parent: sessionScope });
  const hasCost = init.includeCost === true || budgets?.cost !== undefined;
  const costAt = (usage: Usage | undefined, { price }: Model): number | undefined =>
    hasCost ? costOf(usage, price) : undefined;
  const cost = (usage: Usage | undefined, name?: string): number | undefined =>
    costAt(usage, modelNamed(model, name));
  const { overrides, config } = request;
  const outputs = resolveLimits(init.outputs, model.facts?.contextWindow ?? window);
  const reader = init.outputs?.readTool === false ? undefined : request.outputs;
  const declared = reader === undefined ? tools : withReadOutput(tools);
  const bound = bindTools(tools, scope);
  const canReadOutputs = reader !== undefined && declared !== tools;
  const common = commonSettings(init);
  const settings: AgentSettings = {
    ...common,
    provider: keyed(init, request, model),
    tools: canReadOutputs ? [...bound, readOutputTool(reader, outputs.maxChars)] : bound,
    providerOpts: providerOptions(init, { overrides, config, model, instructions, sessionId }),
    limits: {
      ...common.limits,
      checkLimits:
        budgets && ((progress) => exceeded(budgets, progress, { cost: spent?.(), now: now?.() })),
    },
    context: {
      ...common.context,
      checkMedia: (part) => problemOfMedia(part, model.provider.media),
    },
  };
  const { tools: declarations } = settings;
  const { maxTokens } = settings.providerOpts ?? {};
  const compaction = planCompaction(init.compaction, model, maxTokens, window);
  return {
    model,
    compaction,
    frame: {
      model: nameOf(model),
      instructions,
      tools: declarations,
      hasCustom: init.convertToLlm !== undefined,
    },
    summarizer: () => {
      const { provider, providerOpts = {} } = settings;
      const choice = compaction?.model;
      const found =
        choice === undefined
          ? { model, provider, providerOpts }
          : otherModel(choice, init, request, instructions);
      return toSummarizer(found, costAt);
    },
    prompt: isResolved
      ? { ...(instructions !== undefined && { instructions }), ...toolsInPrompt(declared) }
      : undefined,
    settings,
    ephemeral: ephemeralOf(tools),
    outputs,
    canReadOutputs,
    hasCost,
    cost,
    dispose: () => scope.end(),
  };
}

function ephemeralOf(tools: readonly AnyTool[]): ReadonlyMap<string, number> {
  const kept = tools.filter(({ ephemeral }) => ephemeral !== undefined);
  return kept.length === 0 ? none : new Map(kept.map((tool) => [tool.name, tool.ephemeral ?? 0]));
}

const none: ReadonlyMap<string, number> = new Map();

/** Scope of dependencies that are kept from turn to turn. */
export function sessionScopeOf({ dependencies = [], logger }: AgentInit): DependencyScope {
  return createScope({ overrides: dependencies, ...(logger && { logger }) });
}

const madeSettings = new WeakMap<AgentInit, CommonSettings>();

/** Cached, because agents do not change. */
function commonSettings(init: AgentInit): CommonSettings {
  let settings = madeSettings.get(init);
  if (settings === undefined) madeSettings.set(init, (settings = makeCommonSettings(init)));
  return settings;
}

function makeCommonSettings(init: AgentInit): CommonSettings {
  const { logger, cwd, output, closing = defaultClosing } = init;
  return {
    dispatch: { ...init.dispatch, ...init.hooks },
    cwd,
    logger,
    limits: {
      ...withDefaults(defaultLimits, init.limits),
      ...limitsOf(init),
      closing: closing === false ? undefined : closing,
      checkAnswer: output && (async (message) => (await checkOutput(output, message)).problem),
    },
    context: contextOf(init),
  };
}

/** Lists every field: a new field of the loop that is missing here does not compile. */
function limitsOf(init: AgentInit): Every<AgentLimits> {
  const { maxSteps = defaultMaxSteps, stopWhen, retry = defaultRetry } = init;
  return { maxSteps, stopWhen, retry, deadlines: withDefaults(defaultDeadlines, init.deadlines) };
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
function withDefaults<T extends object>(defaults: T, given: T | undefined): T {
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

function unresolved(thrown: unknown): ResolvedChoices {
  return {
    model: { provider: failing(thrown), id: "" },
    instructions: undefined,
    tools: noTools,
    isResolved: false,
  };
}

function failing(thrown: unknown): ProviderContract {
  return {
    id: "none",
    // eslint-disable-next-line require-yield -- it fails before it can yield
    async *stream() {
      throw thrown;
    },
  };
}
