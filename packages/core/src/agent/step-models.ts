/** Models of steps that differ from the model of their turn, with their options and the room in their windows. */
import type { ProviderStreamOptions, ToolContract } from "@capstan/kernel";
import { mergeProviderOptions } from "@capstan/kernel";
import type { MaybePromise } from "@capstan/log";
import { andThen } from "@capstan/log";
import { planCompaction } from "../compaction/compaction-options.ts";
import type { Model } from "../models/model.ts";
import { nameOf } from "../models/model.ts";
import type { AgentInit, TurnOverrides } from "./agent-init.ts";
import { keyed } from "./keyed.ts";
import type { StepTarget } from "./prepare-step.ts";
import { providerOptions } from "./provider-options.ts";
import { sizedModel } from "./resolve-choices.ts";
import type { PlanRequest, TurnPlan } from "./turn-plan.ts";

/** Choices of the turn that its steps start from. */
interface TurnChoices {
  readonly model: Model;
  /** Context window that no list has. */
  readonly window?: number | undefined;
  readonly instructions: string | undefined;
  readonly tools: readonly ToolContract[];
}

type Room = Pick<TurnPlan, "compaction" | "frame">;

export class StepModels {
  readonly #init: AgentInit;
  readonly #request: PlanRequest;
  readonly #turn: TurnChoices;
  readonly #models = new Map<string, Model>();

  constructor(init: AgentInit, request: PlanRequest, turn: TurnChoices) {
    this.#init = init;
    this.#request = request;
    this.#turn = turn;
  }

  /** Model of an earlier step. */
  find(name: string | undefined): Model | undefined {
    return name === undefined ? undefined : this.#models.get(name);
  }

  /** Target of a step; undefined if it is that of the turn. The plan counts with the room of the step's model from now on. */
  resolve(changes: TurnOverrides, plan: TurnPlan): MaybePromise<StepTarget | undefined> {
    if (Object.keys(changes).length === 0) {
      this.#setRoom(plan, this.#turn, plan.settings.providerOpts);
      return undefined;
    }
    const sized =
      changes.model === undefined
        ? this.#turn
        : sizedModel(changes.model, this.#init, this.#request);
    return andThen<Pick<TurnChoices, "model" | "window">, StepTarget>(
      sized,
      ({ model, window }) => {
        const options = this.#options(model, changes);
        const name = nameOf(model);
        this.#models.set(name, model);
        this.#setRoom(plan, { ...this.#turn, model, window }, options);
        return { provider: keyed(this.#init, this.#request, model.provider), options, model: name };
      },
    );
  }

  #options(model: Model, changes: TurnOverrides): ProviderStreamOptions {
    const { overrides, config, context } = this.#request;
    const { instructions } = this.#turn;
    return providerOptions(this.#init, {
      overrides: merged(overrides, changes),
      config,
      model,
      instructions,
      sessionId: context.session.id,
    });
  }

  #setRoom(plan: TurnPlan, turn: TurnChoices, options: ProviderStreamOptions | undefined): void {
    const { compaction, frame } = roomFor(this.#init, turn, options);
    plan.compaction = compaction;
    plan.frame = frame;
  }
}

/** How full the window of a model may get, and what its requests have besides messages. */
export function roomFor(
  { compaction, convertToLlm }: AgentInit,
  { model, window, instructions, tools }: TurnChoices,
  options: ProviderStreamOptions | undefined,
): Room {
  return {
    compaction: planCompaction(compaction, model, options?.maxTokens, window),
    frame: { model: nameOf(model), instructions, tools, hasCustom: convertToLlm !== undefined },
  };
}

/** Overrides of a turn with those of a step. */
function merged(overrides: TurnOverrides = {}, changes: TurnOverrides): TurnOverrides {
  const vendorOptions = mergeProviderOptions(overrides.providerOptions, changes.providerOptions);
  return {
    ...overrides,
    ...changes,
    ...(vendorOptions !== undefined && { providerOptions: vendorOptions }),
  };
}
