/** Registry of models by name: the snapshot, and the models that the program added. */
import type { ModelFacts } from "@capstan/kernel";
import type { MaybePromise } from "@capstan/log";
import type { ModelPrice, TokenPrices } from "./cost.ts";
import type { Model } from "./model.ts";
import { nearestNames } from "../platform/nearest-names.ts";
import type { SnapshotModel, SnapshotPrice } from "./snapshot-model.ts";
import { readSnapshot, snapshotDate, snapshotVendors } from "./snapshot.ts";
import { vendorOfId } from "./vendor-of-id.ts";

/** One model of a vendor: its limits and its price. */
export interface RegisteredModel {
  /** Id of the vendor, the same as that of its provider. */
  readonly vendor: string;
  /** Id of the model at the vendor. */
  readonly id: string;
  /** Display name. */
  readonly label?: string;
  readonly facts?: ModelFacts;
  readonly price?: ModelPrice;
}

/** Models that an alias may mean: the first available one is used. */
export type Aliases = Readonly<Record<string, readonly string[]>>;

/** Current models of each vendor. */
export const defaultAliases: Aliases = {
  default: [
    "anthropic/claude-sonnet-5-5",
    "openai/gpt-6-sol",
    "google/gemini-3.1-pro-preview",
    "xai/grok-4.7",
    "mistral/mistral-large-4",
    "deepseek/deepseek-v4-pro",
    "groq/openai/gpt-oss-120b",
    "openrouter/anthropic/claude-sonnet-5.5",
  ],
  fast: [
    "anthropic/claude-haiku-5-5",
    "openai/gpt-6-luna",
    "google/gemini-3.8-flash",
    "mistral/mistral-small-latest",
    "deepseek/deepseek-flash",
    "groq/openai/gpt-oss-20b",
    "openrouter/anthropic/claude-haiku-5.5",
  ],
  smart: [
    "anthropic/claude-opus-5-5",
    "openai/gpt-6-astra",
    "google/gemini-4-argon",
    "openrouter/anthropic/claude-opus-5.5",
  ],
};

/** Options of `createModelRegistry`. */
export interface ModelRegistryOptions {
  readonly models?: readonly RegisteredModel[];
  /** Added to `default`, `fast` and `smart`. */
  readonly aliases?: Aliases;
}

/** Known models with their limits and prices. The built-in list is loaded when it is first needed. */
export class ModelRegistry {
  readonly #added = new Map<string, RegisteredModel>();
  readonly #loaded = new Map<string, Promise<ReadonlyMap<string, RegisteredModel>>>();
  readonly #aliases: Aliases;
  #completed = new WeakMap<Model, Model>();

  constructor({ models = [], aliases = {} }: ModelRegistryOptions = {}) {
    this.#aliases = { ...defaultAliases, ...aliases };
    for (const model of models) this.registerModel(model);
  }

  /** Adds or replaces a model. */
  registerModel(model: RegisteredModel): void {
    this.#added.set(nameOfRegistered(model), model);
    this.#completed = new WeakMap();
  }

  /** Completes a model with registered facts; facts it states itself take precedence. Synchronous after the first call. */
  complete(model: Model): MaybePromise<Model> {
    const completed = this.#completed.get(model);
    if (completed !== undefined) return completed;
    return this.get(model.provider.id, model.id).then((known) => {
      const facts = { ...known?.facts, ...model.facts };
      const price = model.price ?? known?.price;
      const whole: Model = { ...model, facts, ...(price && { price }) };
      this.#completed.set(model, whole);
      return whole;
    });
  }

  /** Names that an alias means; the name itself if it is not an alias. */
  namesOf(name: string): readonly string[] {
    return Object.hasOwn(this.#aliases, name) ? (this.#aliases[name] ?? []) : [name];
  }

  /** Undefined for an unknown model. `vendor` may be the id of a provider of the AI SDK, as in `openai.responses`. */
  async get(vendor: string, id: string): Promise<RegisteredModel | undefined> {
    const known = vendorOfId(vendor);
    const added = this.#added.get(`${vendor}/${id}`) ?? this.#added.get(`${known}/${id}`);
    return added ?? (await this.#load(known)).get(id);
  }

  /** All models that a name may mean: `vendor/id`, or an id alone, which several vendors may have. Aliases are not resolved. */
  async find(name: string): Promise<readonly RegisteredModel[]> {
    const slash = name.indexOf("/");
    const exact =
      slash === -1 ? undefined : await this.get(name.slice(0, slash), name.slice(slash + 1));
    if (exact !== undefined) return [exact];
    return (await this.list()).filter(({ id }) => id === name);
  }

  /** All models, sorted by vendor and id. */
  async list(): Promise<readonly RegisteredModel[]> {
    const all = await Promise.all(snapshotVendors.map((vendor) => this.#load(vendor)));
    const models = new Map(
      all.flatMap((byId) => Array.from(byId.values(), (model) => [nameOfRegistered(model), model])),
    );
    for (const [name, model] of this.#added) models.set(name, model);
    return Array.from(models.values()).toSorted((a, b) =>
      nameOfRegistered(a) < nameOfRegistered(b) ? -1 : 1,
    );
  }

  /** Names similar to an unknown one. */
  async suggest(name: string): Promise<readonly string[]> {
    const models = await this.list();
    return nearestNames(name, [...Object.keys(this.#aliases), ...models.map(nameOfRegistered)]);
  }

  #load(vendor: string): Promise<ReadonlyMap<string, RegisteredModel>> {
    let loaded = this.#loaded.get(vendor);
    if (loaded === undefined) {
      loaded = readSnapshot(vendor).then(
        (models) => new Map(models.map((model) => [model.id, toRegistered(vendor, model)])),
      );
      this.#loaded.set(vendor, loaded);
    }
    return loaded;
  }
}

/** Creates a registry with the built-in models. `models` come before built-in ones of the same vendor and id. */
export function createModelRegistry(options?: ModelRegistryOptions): ModelRegistry {
  return new ModelRegistry(options);
}

export function nameOfRegistered({ vendor, id }: RegisteredModel): string {
  return `${vendor}/${id}`;
}

function toRegistered(vendor: string, model: SnapshotModel): RegisteredModel {
  const { id, name: label, price, ...facts } = model;
  return { vendor, id, label, facts: withoutName(facts), ...(price && { price: toPrice(price) }) };
}

function withoutName({ contextWindow, maxOutputTokens, input, thinking }: ModelFacts): ModelFacts {
  return {
    ...(contextWindow !== undefined && { contextWindow }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(input && { input }),
    ...(thinking !== undefined && { thinking }),
  };
}

function toPrice({ tiers, ...price }: NonNullable<SnapshotModel["price"]>): ModelPrice {
  return {
    id: snapshotDate,
    ...toPrices(price),
    ...(tiers && {
      tiers: tiers.map(({ above, ...tier }) => ({ aboveInputTokens: above, ...toPrices(tier) })),
    }),
  };
}

function toPrices({ input, output, cacheRead, cacheWrite }: SnapshotPrice): TokenPrices {
  return {
    inputPerMillion: input,
    outputPerMillion: output,
    ...(cacheRead !== undefined && { cacheReadPerMillion: cacheRead }),
    ...(cacheWrite !== undefined && { cacheWritePerMillion: cacheWrite }),
  };
}
