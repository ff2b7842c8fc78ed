/** Resolves the choices of a turn: its model, instructions and tools. */
import type { ProviderContract } from "@capstan/kernel";
import { isPromise } from "@capstan/kernel";
import type { MaybePromise } from "@capstan/log";
import { andThen } from "@capstan/log";
import { needsWindow, unknownWindow } from "../compaction/compaction-options.ts";
import { findWindow } from "../models/find-window.ts";
import { withFacts } from "../models/known-facts.ts";
import type { Model, ModelChoice } from "../models/model.ts";
import { findModel, toModel, windowOf } from "../models/model.ts";
import { withChildTools } from "../tools/child-tools.ts";
import type { AnyTool } from "../tools/tool.ts";
import type { TurnContext } from "../tools/turn-context.ts";
import type { AgentInit } from "./agent-init.ts";
import { withFound } from "./ask-sources.ts";
import { chooseTools } from "./chosen-tools.ts";
import { instructionsOf } from "./instructions.ts";
import type { PlanRequest } from "./turn-plan.ts";

export interface ResolvedChoices {
  readonly model: Model;
  /** Context window that no list has: reported by the server, or assumed. */
  readonly window?: number;
  readonly instructions: string | undefined;
  readonly tools: readonly AnyTool[];
  /** False if a substitute is used because something was not available. */
  readonly isResolved?: boolean;
}

export function resolveChoices(
  init: AgentInit,
  request: PlanRequest,
  context: TurnContext,
): MaybePromise<ResolvedChoices> {
  const { config = {}, prompt, agentName: agent } = request;
  const tools = toolsOf(init, request);
  const sized = sizedModel(choiceOf(init, request), init, request);
  const isAsked = config.instructions === undefined && typeof init.instructions === "function";
  const instructions =
    isAsked && prompt !== undefined
      ? prompt.instructions
      : instructionsOf(config.instructions ?? init.instructions, {
          ...context,
          agent,
          sessionId: context.session.id,
          tools,
        });
  if (!isPromise(sized) && !isPromise(instructions)) {
    return { ...sized, instructions, tools };
  }
  return Promise.all([sized, instructions]).then(([sized, instructions]) => ({
    ...sized,
    instructions,
    tools,
  }));
}

/** Context window of the turn's model, for sources of tools, which are asked before the model is needed. */
export async function windowForSources(
  init: AgentInit,
  request: PlanRequest,
): Promise<number | undefined> {
  try {
    const { model, window } = await sizedModel(choiceOf(init, request), init, request);
    return windowOf(model) ?? window;
  } catch {
    // The turn needs the model next, and fails with the reason.
    return undefined;
  }
}

function choiceOf({ model }: AgentInit, { overrides, config }: PlanRequest): ModelChoice {
  return overrides?.model ?? config?.model ?? model;
}

/** The chosen model, with its window if no list has it. */
export function sizedModel(
  choice: ModelChoice,
  init: AgentInit,
  request: PlanRequest,
): MaybePromise<Pick<ResolvedChoices, "model" | "window">> {
  return andThen(knownModel(choice, init, request), (known) => withWindow(known, init, request));
}

/** Tools of the turn. */
export function toolsOf(
  init: AgentInit,
  { config, given, found = noTools }: PlanRequest,
): readonly AnyTool[] {
  const own = withChildTools(chooseTools(init.tools ?? noTools, config?.tools, given?.tools));
  return withFound(own, found);
}

/** Throws if the window is unknown and the caller has configured compaction that needs it. */
function withWindow(
  model: Model,
  { compaction, getApiKey, logger }: AgentInit,
  { timer }: PlanRequest,
): MaybePromise<Pick<ResolvedChoices, "model" | "window">> {
  const isKnown = windowOf(model) !== undefined;
  if (isKnown || !needsWindow(compaction)) return { model };
  if (compaction !== undefined) throw unknownWindow(model);
  return andThen(findWindow(model, { getApiKey, timer, logger }), (window) => ({ model, window }));
}

const noTools: readonly AnyTool[] = [];

export function knownModel(
  choice: ModelChoice,
  init: AgentInit,
  request: PlanRequest,
): MaybePromise<Model> {
  const models = knownModels(init, request.given?.models);
  const found = findModel(choice, { models, resolveModel: init.resolveModel });
  return withFacts(found, init.registry);
}

/** Models available without calling `resolveModel`. */
export function knownModels(init: AgentInit, models: readonly Model[] = []): readonly Model[] {
  const own = typeof init.model === "string" ? [] : [toModel(init.model)];
  // A model passed to the session takes precedence.
  return [...models, ...own, ...(init.models ?? [])];
}

/** Substitute for choices that are not available: the turn fails with the reason. */
export function unresolved(thrown: unknown): ResolvedChoices {
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
