/** What one turn of an agent runs with: everything that was a choice, a name or a function is settled. */
import type { ProviderContract, RunTurnInput, Timer, Usage } from "@capstan/kernel";
import { callbackMs, within } from "../within.ts";
import { bindTools } from "../tools/bind-tools.ts";
import type { DependencyScope } from "../tools/dependency-scope.ts";
import { createScope } from "../tools/dependency-scope.ts";
import { AgentError } from "./agent-error.ts";
import type { AgentInit, TurnOverrides } from "./agent-init.ts";
import { exceeded } from "./budgets.ts";
import { costOf } from "./cost.ts";
import { instructionsOf } from "./instructions.ts";
import type { Model, ModelChoice, ResolveModel } from "./model.ts";
import { toModel } from "./model.ts";
import { providerOptions, withKey } from "./provider-options.ts";
import { checkOutput } from "./typed-output.ts";

/** What of `runTurn`'s input an agent decides. */
type AgentSettings = Pick<
  RunTurnInput,
  | "provider"
  | "tools"
  | "dispatch"
  | "providerOpts"
  | "cwd"
  | "logger"
  | "transformContext"
  | "convertToLlm"
  | "stopWhen"
  | "checkLimits"
  | "maxSteps"
  | "closing"
  | "checkAnswer"
  | "retry"
  | "deadlines"
  | "recover"
>;

export interface TurnPlan {
  readonly model: Model;
  readonly settings: AgentSettings;
  /** What usage costs; undefined where cost is not wanted or not known. */
  cost(usage: Usage | undefined): number | undefined;
  /** Ends what the tools had made for this turn. */
  dispose(): Promise<void>;
}

export interface PlanRequest {
  readonly agentName: string;
  readonly sessionId: string;
  readonly overrides?: TurnOverrides;
  /** For what lives as long as the session. */
  readonly sessionScope?: DependencyScope;
  readonly now?: () => number;
  /** For the limit of what the agent has to ask for. */
  readonly timer?: Timer;
}

const defaultClosing = {
  prompt:
    "You have no steps left. Report what was done, what is open, and what should be done next.",
};
const defaultRetry = { maxAttempts: 3 };

/** Never fails: where the model or the instructions cannot be had, the turn does, with the reason. */
export async function planTurn(init: AgentInit, request: PlanRequest): Promise<TurnPlan> {
  const { overrides = {}, sessionScope, sessionId, agentName, now } = request;
  const { tools = [], dependencies = [], budgets, logger, cwd, maxSteps } = init;
  const choose = async (): Promise<Settled> => ({
    model: await resolve(overrides.model ?? init.model, init.resolveModel),
    instructions: await instructionsOf(init, { agent: agentName, sessionId, tools }),
  });
  const { model, instructions } = await settle(
    within(request.timer, callbackMs, choose(), "resolveModel or instructions"),
  );
  const scope = createScope({
    overrides: dependencies,
    ...(sessionScope && { parent: sessionScope }),
    ...(logger && { logger }),
  });
  const hasCost = init.includeCost === true || budgets?.cost !== undefined;
  const cost = (usage: Usage | undefined): number | undefined =>
    hasCost ? costOf(usage, model.price) : undefined;
  const { stopWhen, transformContext, convertToLlm, recover, deadlines, output } = init;
  const settings: AgentSettings = {
    provider: withKey(model.provider, init.getApiKey),
    tools: bindTools(tools, scope),
    dispatch: init.dispatch ?? {},
    providerOpts: providerOptions(init, { overrides, model, instructions, sessionId }),
    retry: init.retry ?? defaultRetry,
    ...(init.closing !== false && { closing: init.closing ?? defaultClosing }),
    ...(logger && { logger }),
    ...(cwd !== undefined && { cwd }),
    ...(maxSteps !== undefined && { maxSteps }),
    ...(stopWhen && { stopWhen }),
    ...(transformContext && { transformContext }),
    ...(convertToLlm && { convertToLlm }),
    ...(recover && { recover }),
    ...(deadlines && { deadlines }),
    ...(budgets && {
      checkLimits: (progress) =>
        exceeded(budgets, progress, { cost: cost(progress.usage), now: now?.() }),
    }),
    ...(output && {
      checkAnswer: async (message) => (await checkOutput(output, message)).problem,
    }),
  };
  return {
    model,
    settings,
    cost,
    dispose: () => scope.dispose(),
  };
}

interface Settled {
  readonly model: Model;
  readonly instructions: string | undefined;
}

async function settle(chosen: Promise<Settled>): Promise<Settled> {
  try {
    return await chosen;
  } catch (thrown) {
    return { model: { provider: failing(thrown), id: "" }, instructions: undefined };
  }
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

async function resolve(
  choice: ModelChoice,
  resolveModel: ResolveModel | undefined,
): Promise<Model> {
  if (typeof choice !== "string") return toModel(choice);
  if (resolveModel !== undefined) return resolveModel(choice);
  throw new AgentError(
    "unknown_model",
    `The model "${choice}" is given by its name: pass resolveModel to look it up, or the model itself`,
  );
}
