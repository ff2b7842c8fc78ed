/** The plan of one turn once every choice is resolved. A class, because every turn holds a plan, and closures would be most of it. */
import type { Usage } from "@capstan/kernel";
import { isPromise } from "@capstan/kernel";
import type { MaybePromise } from "@capstan/log";
import { andThen } from "@capstan/log";
import type { Summarizer } from "../compaction/summarizer.ts";
import { toSummarizer } from "../compaction/summarizer.ts";
import { costOf } from "../models/cost.ts";
import type { Model, ModelChoice } from "../models/model.ts";
import { modelNamed } from "../models/model.ts";
import { within } from "../platform/within.ts";
import type { DependencyScope } from "../tools/dependency-scope.ts";
import type { AgentInit } from "./agent-init.ts";
import { callbackMsOf } from "./agent-settings.ts";
import { keyed } from "./keyed.ts";
import { providerOptions } from "./provider-options.ts";
import { knownModel } from "./resolve-choices.ts";
import type { StepModels } from "./step-models.ts";
import type { PlanRequest, TurnPlan } from "./turn-plan.ts";

type PlannedValues = Omit<TurnPlan, "summarizer" | "modelNamed" | "cost" | "dispose">;

/** Values that the plan was made from. */
interface PlanSources {
  readonly init: AgentInit;
  readonly request: PlanRequest;
  readonly instructions: string | undefined;
  /** Undefined if all steps are like the turn. */
  readonly steps: StepModels | undefined;
  /** Scope of the turn. */
  readonly scope: DependencyScope;
}

export class ResolvedPlan implements TurnPlan {
  readonly model: TurnPlan["model"];
  readonly prompt: TurnPlan["prompt"];
  readonly settings: TurnPlan["settings"];
  readonly ephemeral: TurnPlan["ephemeral"];
  readonly outputs: TurnPlan["outputs"];
  readonly canReadOutputs: boolean;
  readonly hasCost: boolean;
  compaction: TurnPlan["compaction"];
  frame: TurnPlan["frame"];
  readonly #sources: PlanSources;

  constructor(values: PlannedValues, sources: PlanSources) {
    this.model = values.model;
    this.prompt = values.prompt;
    this.settings = values.settings;
    this.ephemeral = values.ephemeral;
    this.outputs = values.outputs;
    this.canReadOutputs = values.canReadOutputs;
    this.hasCost = values.hasCost;
    this.compaction = values.compaction;
    this.frame = values.frame;
    this.#sources = sources;
  }

  summarizer(): MaybePromise<Summarizer> {
    const { provider, providerOpts = {} } = this.settings;
    const choice = this.compaction?.model;
    const found =
      choice === undefined
        ? { model: this.model, provider, providerOpts }
        : otherModel(choice, this.#sources);
    return toSummarizer(found, (usage, model) => this.#costAt(usage, model));
  }

  modelNamed(name: string | undefined): Model {
    return this.#sources.steps?.find(name) ?? modelNamed(this.model, name);
  }

  cost(usage: Usage | undefined, name?: string): number | undefined {
    return this.#costAt(usage, this.modelNamed(name));
  }

  dispose(): MaybePromise<void> {
    return this.#sources.scope.end();
  }

  #costAt(usage: Usage | undefined, { price }: Model): number | undefined {
    return this.hasCost ? costOf(usage, price) : undefined;
  }
}

/** A model that does something for a session besides its turns. */
function otherModel(
  choice: ModelChoice,
  { init, request, instructions }: PlanSources,
): MaybePromise<Omit<Summarizer, "cost">> {
  const { context, timer } = request;
  const { id: sessionId } = context.session;
  const found = knownModel(choice, init, request);
  const known = isPromise(found) ? within(timer, callbackMsOf(init), found, "resolveModel") : found;
  return andThen(known, (model) => ({
    model,
    provider: keyed(init, request, model.provider),
    providerOpts: providerOptions(init, { model, instructions, sessionId }),
  }));
}
