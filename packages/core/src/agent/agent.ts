/** Immutable behaviour: a model, tools, instructions, limits. It stores nothing; sessions do. */
import type {
  JsonValue,
  Logger,
  MediaLimits,
  StandardSchema,
  ThinkingLevel,
  Timer,
  TurnResponse as UntypedResponse,
} from "@capstan/kernel";
import type { Clock } from "../platform/clock.ts";
import type { MaybePromise } from "@capstan/log";
import type { Turn } from "../following/turn.ts";
import type { HistoryMessage } from "../input/check-history.ts";
import type { TurnInput, TurnRequest } from "../input/input.ts";
import { checkCompaction, needsWindow, unknownWindow } from "../compaction/compaction-options.ts";
import { snapshotVendors } from "../models/snapshot.ts";
import type { Override } from "../tools/dependency.ts";
import type { DependencyScope } from "../tools/dependency-scope.ts";
import type { AppSchema } from "../tools/app-schema.ts";
import { hasAgent } from "../tools/other-agents.ts";
import type { AnyTool } from "../tools/tool.ts";
import type { SessionContext } from "../tools/turn-context.ts";
import { within } from "../platform/within.ts";
import { AgentError } from "../errors/agent-error.ts";
import type { AgentInit } from "./agent-init.ts";
import type { AgentTypes } from "./agent-types.ts";
import type { Budgets } from "./budgets.ts";
import { toStoredApp } from "./app-context.ts";
import { callbackMsOf } from "./agent-settings.ts";
import { checkOptions } from "./check-options.ts";
import type { Model, ModelChoice } from "../models/model.ts";
import { nameOf, nameOfChoice, toModel, vendorOf, windowOf } from "../models/model.ts";
import type { GivenContext } from "./planned-context.ts";
import { FrozenSession } from "./planned-context.ts";
import { knownModels } from "./resolve-choices.ts";
import type { PlanRequest, TurnPlan } from "./turn-plan.ts";
import { planNothing, planTurn, sessionScopeOf } from "./turn-plan.ts";
import { checkOutput } from "./typed-output.ts";
import { replyOf } from "./reply.ts";
import { whyNoAnswer } from "./why-no-answer.ts";

/** Options of a turn without a session. */
export interface RunOptions {
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Principal that tools and hooks see. */
  readonly principal?: string;
}

/** Options that a copy of an agent may change: all but those that decide its type. */
export interface AgentChanges<Name extends string = string> extends Partial<
  Omit<AgentInit, "appContext" | "name" | "output">
> {
  /** For an agent whose type has its name: no other. */
  readonly name?: Name;
}

/** Types of an agent: `TypesOf<typeof agent>`. */
export type TypesOf<Subject extends Agent> = Subject extends Agent<infer Known> ? Known : never;

/** Runs a turn in a session of its own. Passed to agents, because sessions are built on them. */
export type RunAlone = (
  agent: Agent,
  request: TurnRequest,
  transcript: readonly HistoryMessage[],
  options: RunOptions,
) => Turn;

/**
 * Configuration of a model with instructions, tools and limits. Immutable, and free of conversation state: any
 * number of sessions share one agent.
 */
export class Agent<out Known extends AgentTypes = AgentTypes> {
  readonly name: Known["name"];
  /** @internal Whether it has agents as tools. */
  readonly usesAgents: boolean;
  readonly #init: AgentInit;
  readonly #runAlone: RunAlone;

  constructor(init: AgentInit, runAlone: RunAlone) {
    checkOptions(init);
    this.#runAlone = runAlone;
    this.name = init.name ?? "agent";
    this.#init = frozen(init);
    const { model, compaction } = init;
    this.usesAgents = hasAgent(init.tools ?? []);
    checkCompaction(compaction, typeof model === "string" ? undefined : windowOf(toModel(model)));
    if (compaction !== undefined && needsWindow(compaction)) mustHaveWindow(init);
  }

  /** Returns a copy of the agent with some options changed. */
  with(changes: AgentChanges<Known["name"]>): Agent<Known> {
    return new Agent<Known>({ ...this.#init, ...changes }, this.#runAlone);
  }

  /** @internal Resolves everything a turn runs with. The caller must dispose the plan when the turn ends. */
  plan(request: Omit<PlanRequest, "agentName">): MaybePromise<TurnPlan> {
    return planTurn(this.#init, { ...request, agentName: this.name });
  }

  /** @internal Plan for a turn that ends before it begins. */
  planNothing(context: GivenContext): TurnPlan {
    return planNothing(this.#init, context);
  }

  /** Schema of the application context; undefined if it has none. */
  get appContext(): AppSchema | undefined {
    return this.#init.appContext;
  }

  /** Returns an application context as the log stores it. Throws `invalid_input` if the agent does not accept it. */
  toStoredApp(given: unknown): JsonValue {
    return toStoredApp(this.#init, this.name, given);
  }

  /** Time limit of the agent's callbacks. */
  get callbackMs(): number {
    return callbackMsOf(this.#init);
  }

  /** Creates the scope for dependencies that live as long as a session. The caller must dispose it. */
  createScope(context: SessionContext, overrides: readonly Override[] = []): DependencyScope {
    return sessionScopeOf(this.#init, new FrozenSession(context), overrides);
  }

  /** Whether its sessions can be compacted on request. */
  get isCompactable(): boolean {
    return this.#init.compaction !== false;
  }

  get model(): ModelChoice {
    return this.#init.model;
  }

  get tools(): readonly AnyTool[] {
    return this.#init.tools ?? [];
  }

  /** Budgets of each chain of its turns; undefined if it has none. */
  get budgets(): Budgets | undefined {
    return this.#init.budgets;
  }

  /** Undefined: the model's default. */
  get thinkingLevel(): ThinkingLevel | undefined {
    return this.#init.thinkingLevel;
  }

  get logger(): Logger | undefined {
    return this.#init.logger;
  }

  get cwd(): string | undefined {
    return this.#init.cwd;
  }

  /** Returns the media limits of a model, by default the agent's own; undefined if they are not known before a turn resolves the model. */
  mediaLimits(name: string | undefined, models: readonly Model[] = []): MediaLimits | undefined {
    const { model } = this.#init;
    const known = knownModels(this.#init, models);
    const wanted = name ?? nameOfChoice(model);
    return known.find((candidate) => nameOf(candidate) === wanted)?.provider.media;
  }

  /**
   * Runs one turn after a transcript, which is not changed: the response has the new messages. The context is managed as in a session, which
   * ends with the turn.
   */
  runTurn(
    request: TurnRequest<Known["app"], Known["toolName"]> & Known["appField"],
    transcript: readonly HistoryMessage[] = [],
    options: RunOptions = {},
  ): Turn<Known> {
    // The turn is one of this agent.
    return this.#runAlone(this, request, transcript, options) as Turn<Known>;
  }

  /** Runs one turn and returns its events; `response` has the result. */
  runStream(input: TurnInput, ...[options]: Known["runArguments"]): Turn<Known> {
    return this.runTurn({ ...options, input });
  }

  /** Returns the reply to one message: the typed answer, or its text if there is no schema. Throws an `AgentError` if there is none. */
  async run(input: TurnInput, ...options: Known["runArguments"]): Promise<Known["reply"]> {
    const response = await this.runStream(input, ...options).response;
    const reply = replyOf(response, this);
    if (reply === undefined) throw noAnswer(this.name, response);
    return reply.value;
  }

  /** Schema of its typed answers; undefined if they are texts. */
  get output(): StandardSchema | undefined {
    return this.#init.output;
  }

  /** Whether its answers are typed values. */
  get hasOutput(): boolean {
    return this.#init.output !== undefined;
  }

  /** @internal Adds the typed answer, if this agent has a schema for it. */
  complete(
    response: UntypedResponse<never>,
    timer: Timer | undefined,
  ): MaybePromise<UntypedResponse> {
    const { output } = this.#init;
    if (output === undefined || response.status !== "completed") return response;
    const last = response.messages.findLast((message) => message.role === "assistant");
    if (last?.role !== "assistant") return response;
    const checked = within(timer, this.callbackMs, checkOutput(output, last), "output");
    return checked.then((found) =>
      found.problem === undefined ? { ...response, output: found.value } : response,
    );
  }
}

/** A copy that its caller cannot change. */
function frozen(init: AgentInit): AgentInit {
  const { tools, toolSources, models, dependencies } = init;
  return Object.freeze({
    ...init,
    ...(tools && { tools: Object.freeze([...tools]) }),
    ...(toolSources && { toolSources: Object.freeze([...toolSources]) }),
    ...(models && { models: Object.freeze([...models]) }),
    ...(dependencies && { dependencies: Object.freeze([...dependencies]) }),
  });
}

/** Throws if the window cannot become known later; one from a registry or for a name is known when a turn of a session begins. */
function mustHaveWindow({ model: choice, registry }: AgentInit): void {
  if (typeof choice === "string" || registry !== undefined) return;
  const model = toModel(choice);
  if (windowOf(model) === undefined && !snapshotVendors.includes(vendorOf(model)))
    throw unknownWindow(model);
}

function noAnswer(name: string, response: UntypedResponse): AgentError {
  const { error } = response;
  const message = `The agent "${name}" gave no answer: ${whyNoAnswer(response)}. To get the partial response without an error, use runTurn`;
  return new AgentError("no_answer", message, {
    ...(error && { turnError: error }),
  });
}
