/** Plans one turn of an agent: resolves every choice, name and function. */
import type { Timer, Usage } from "@capstan/kernel";
import { isPromise } from "@capstan/kernel";
import type { EntryOf, MaybePromise, SessionConfig } from "@capstan/log";
import type { CompactionPlan } from "../compaction/compaction-options.ts";
import type { ResolvedLimits } from "../outputs/output-limits.ts";
import { resolveLimits } from "../outputs/output-limits.ts";
import type { OutputReader } from "../outputs/output-reader.ts";
import { readOutputTool, withReadOutput } from "../outputs/read-output.ts";
import type { RequestFrame } from "../context/token-count.ts";
import { problemOfMedia } from "../media/check-media.ts";
import { withFields } from "../platform/logger-fields.ts";
import { within } from "../platform/within.ts";
import { bindTools } from "../tools/bind-tools.ts";
import type { DependencyContext, Override } from "../tools/dependency.ts";
import type { DependencyScope } from "../tools/dependency-scope.ts";
import { createScope } from "../tools/dependency-scope.ts";
import type { AnyTool } from "../tools/tool.ts";
import type { TurnContext } from "../tools/turn-context.ts";
import type { AgentInit, TurnOverrides } from "./agent-init.ts";
import type { AgentSettings } from "./agent-settings.ts";
import { callbackMsOf, commonSettings } from "./agent-settings.ts";
import { bindHooks } from "./bind-hooks.ts";
import { bindGuards } from "./guards.ts";
import type { GivenContext, PlannedContext } from "./planned-context.ts";
import { planContext } from "./planned-context.ts";
import { bindPrepareStep } from "./prepare-step.ts";
import { keyed } from "./keyed.ts";
import { StepModels, roomFor } from "./step-models.ts";
import { askSources } from "./ask-sources.ts";
import { exceeded } from "./budgets.ts";
import { toolsInPrompt } from "./chosen-tools.ts";
import type { GivenObjects } from "../models/given-objects.ts";
import type { Model } from "../models/model.ts";
import { nameOf } from "../models/model.ts";
import { providerOptions } from "./provider-options.ts";
import type { ResolvedChoices } from "./resolve-choices.ts";
import { ResolvedPlan } from "./resolved-plan.ts";
import { resolveChoices, toolsOf, unresolved, windowForSources } from "./resolve-choices.ts";
import type { Summarizer } from "../compaction/summarizer.ts";

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
  /** How the context of the session is compacted; undefined if it is not. Changes with the model of the step. */
  compaction: CompactionPlan | undefined;
  /** Parts of a request besides its messages. Changes with the step. */
  frame: RequestFrame;
  /** Resolves the model that writes summaries. */
  summarizer(): MaybePromise<Summarizer>;
  /** The model with this name: that of the turn, one that it falls back on, or that of a step. By default that of the turn. */
  modelNamed(name: string | undefined): Model;
  /** Whether the cost is needed. */
  readonly hasCost: boolean;
  /** Cost of a usage; undefined if it is not needed or not known. `name` is the model's name, if the plan's model falls back on others. */
  cost(usage: Usage | undefined, name?: string): number | undefined;
  /** Ends the dependencies that were made for this turn. */
  dispose(): MaybePromise<void>;
}

export interface PlanRequest {
  readonly agentName: string;
  /** Session and turn, as the log has them. */
  readonly context: GivenContext;
  readonly overrides?: TurnOverrides;
  /** Settings of the session. */
  readonly config?: SessionConfig;
  /** Prefix of the session's requests so far. */
  readonly prompt?: Prompt | undefined;
  /** Models and tools passed to the session in this process. */
  readonly given?: GivenObjects;
  /** Names of the tools that unfinished calls of the turn need. */
  readonly needed?: readonly string[];
  /** Tools that the sources of the agent have for this turn. */
  readonly found?: readonly AnyTool[];
  /** Cost of the chain of turns so far, including its tools. */
  readonly spent?: () => number | undefined;
  /** Whether a budget of another session needs the cost. */
  readonly isPriced?: boolean;
  /** Scope of dependencies that live as long as the session. */
  readonly sessionScope?: DependencyScope;
  /** Reads the stored outputs of the session. */
  readonly outputs?: OutputReader;
  readonly now?: () => number;
  /** Limits the time of the agent's callbacks. */
  readonly timer?: Timer;
}

/**
 * Never fails: if the model, a tool or the instructions are not available, the turn fails with the reason. Synchronous if nothing has to be
 * awaited.
 */
export function planTurn(init: AgentInit, request: PlanRequest): MaybePromise<TurnPlan> {
  if (init.toolSources === undefined) return planFound(init, request);
  const fail = (thrown: unknown): TurnPlan => planFailed(init, request, thrown);
  try {
    const asked = askSources(init, request, () => windowForSources(init, request));
    if (!isPromise(asked)) return planFound(init, { ...request, found: asked });
    const limited = within(request.timer, callbackMsOf(init), asked, "toolSources");
    return limited.then((found) => planFound(init, { ...request, found }), fail);
  } catch (thrown) {
    return fail(thrown);
  }
}

/** Plan for a turn whose sources of tools failed: the turn fails with the reason. */
function planFailed(init: AgentInit, request: PlanRequest, thrown: unknown): TurnPlan {
  const context = planContext(request.context, init, () => []);
  return toPlan(init, request, context, unresolved(thrown));
}

/** Plans the turn once its tools are known. */
function planFound(init: AgentInit, request: PlanRequest): MaybePromise<TurnPlan> {
  const context = planContext(request.context, init, () => toolsOf(init, request));
  const plan = (choices: ResolvedChoices): TurnPlan => toPlan(init, request, context, choices);
  try {
    const resolved = resolveChoices(init, request, context.value());
    if (!isPromise(resolved)) return plan(resolved);
    const limitMs = callbackMsOf(init);
    const limited = within(request.timer, limitMs, resolved, "resolveModel or instructions");
    return limited.then(plan, (thrown: unknown) => plan(unresolved(thrown)));
  } catch (thrown) {
    return plan(unresolved(thrown));
  }
}

/** Plan for a turn that ends before it begins: resolves nothing. */
export function planNothing(init: AgentInit, given: GivenContext): TurnPlan {
  const request = { agentName: "", context: given };
  const aborted = unresolved(new Error("The turn was aborted before it began"));
  return toPlan(
    init,
    request,
    planContext(given, init, () => []),
    aborted,
  );
}

function toPlan(
  init: AgentInit,
  request: PlanRequest,
  context: PlannedContext,
  { model, window, instructions, tools, isResolved = true }: ResolvedChoices,
): TurnPlan {
  const { now, spent } = request;
  const { id: sessionId, principal } = request.context.session;
  const { budgets, hooks, guards } = init;
  const scope = scopeOf(init, request, isResolved ? context.value() : undefined);
  const hasCost =
    init.includeCost === true || budgets?.cost !== undefined || request.isPriced === true;
  const { overrides, config } = request;
  const outputs = resolveLimits(init.outputs, model.facts?.contextWindow ?? window);
  const reader = init.outputs?.readTool === false ? undefined : request.outputs;
  const declared = reader === undefined ? tools : withReadOutput(tools);
  const bound = bindTools(tools, scope, context.apps);
  const canReadOutputs = reader !== undefined && declared !== tools;
  // A spread would leave room for 17 more.
  const boundTools = canReadOutputs
    ? bound.concat(readOutputTool(reader, outputs.maxChars))
    : bound;
  const steps =
    init.prepareStep &&
    new StepModels(init, request, { model, window, instructions, tools: boundTools });
  const common = commonSettings(init);
  const settings: AgentSettings = {
    ...common,
    ...(guards && { guards: bindGuards(guards, () => context.value()) }),
    ...(hooks && { dispatch: { ...common.dispatch, ...bindHooks(hooks, () => context.value()) } }),
    logger:
      principal === undefined
        ? common.logger
        : common.logger && withFields(common.logger, { principal }),
    provider: keyed(init, request, model.provider),
    tools: boundTools,
    providerOpts: providerOptions(init, { overrides, config, model, instructions, sessionId }),
    limits:
      budgets === undefined
        ? common.limits
        : {
            ...common.limits,
            checkLimits: (progress) =>
              exceeded(budgets, progress, { cost: spent?.(), now: now?.() }),
          },
    context: {
      ...common.context,
      prepareStep:
        init.prepareStep &&
        bindPrepareStep(init.prepareStep, {
          model: nameOf(model),
          instructions,
          tools: boundTools,
          context: () => context.value(),
          resolve: (changes) => steps?.resolve(changes, plan),
        }),
      checkMedia: mediaCheckOf(model),
    },
  };
  const values = {
    model,
    ...roomFor(init, { model, window, instructions, tools: boundTools }, settings.providerOpts),
    prompt: isResolved
      ? { ...(instructions !== undefined && { instructions }), ...toolsInPrompt(declared) }
      : undefined,
    settings,
    ephemeral: ephemeralOf(tools),
    outputs,
    canReadOutputs,
    hasCost,
  };
  const plan = new ResolvedPlan(values, { init, request, instructions, steps, scope });
  return plan;
}

/** Made here because a function made in `toPlan` would keep all variables of that while the turn runs. */
function mediaCheckOf(model: Model): NonNullable<AgentSettings["context"]["checkMedia"]> {
  return (part) => problemOfMedia(part, model.provider.media);
}

function ephemeralOf(tools: readonly AnyTool[]): ReadonlyMap<string, number> {
  const kept = tools.filter(({ ephemeral }) => ephemeral !== undefined);
  return kept.length === 0 ? none : new Map(kept.map((tool) => [tool.name, tool.ephemeral ?? 0]));
}

const none: ReadonlyMap<string, number> = new Map();

function scopeOf(
  init: AgentInit,
  { sessionScope }: PlanRequest,
  context: TurnContext | undefined,
): DependencyScope {
  if (sessionScope === undefined) return sessionScopeOf(init, context);
  return createScope({ parent: sessionScope, ...(context && { context }) });
}

/** Scope of dependencies that are kept from turn to turn. */
export function sessionScopeOf(
  { dependencies = [], logger }: AgentInit,
  context: DependencyContext | undefined,
  overrides: readonly Override[] = [],
): DependencyScope {
  return createScope({
    overrides: [...dependencies, ...overrides],
    ...(context && { context }),
    ...(logger && { logger }),
  });
}
