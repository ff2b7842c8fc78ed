/** A model: a provider and the id of one of its models. */
import type { ModelFacts, ProviderContract } from "@capstan/kernel";
import { andThen } from "@capstan/log";
import { vendorOfId } from "./vendor-of-id.ts";
import { AgentError } from "../errors/agent-error.ts";
import type { ModelPrice } from "./cost.ts";

/** A provider with the id of one of its models, and what is known of that model. */
export interface Model {
  readonly provider: ProviderContract;
  /** Id for the provider; empty if it has only one model. */
  readonly id: string;
  /** Known facts of the model, for the provider and for limiting the size of conversations. */
  readonly facts?: ModelFacts;
  readonly price?: ModelPrice;
}

/** A model, a provider that has only one, or a name that the agent or `resolveModel` knows. */
export type ModelChoice = Model | ProviderContract | string;

/** Function that finds a model by name. Throws if the name is unknown. */
export type ResolveModel = (name: string) => Model | Promise<Model>;

function isProvider(choice: Model | ProviderContract): choice is ProviderContract {
  return "stream" in choice;
}

export function toModel(choice: Model | ProviderContract): Model {
  if (!isProvider(choice)) return choice;
  const { contextWindow } = choice;
  return {
    provider: choice,
    id: "",
    ...(contextWindow !== undefined && { facts: { contextWindow } }),
  };
}

/** Tokens that fit into one request and its reply; undefined if unknown. */
export function windowOf({ facts, provider }: Model): number | undefined {
  return facts?.contextWindow ?? provider.contextWindow;
}

/** Vendor of the model. */
export function vendorOf({ provider: { id } }: Model): string {
  return vendorOfId(id);
}

/** Name of a model in the log. */
export function nameOf({ provider, id }: Model): string {
  return id === "" ? provider.id : `${provider.id}/${id}`;
}

/** Returns the model with this name among a model and its fallbacks; the model itself if there is none. */
export function modelNamed(model: Model, name: string | undefined): Model {
  const { fallback } = model.provider;
  if (name === undefined || fallback === undefined) return model;
  const [first, ...others] = fallback.models;
  // Facts about the whole are facts about the first model.
  const known = [{ ...first, ...model }, ...others];
  return known.find((candidate) => nameOf(candidate) === name) ?? model;
}

export function nameOfChoice(choice: ModelChoice): string {
  return typeof choice === "string" ? choice : nameOf(toModel(choice));
}

/** Models and functions that names are resolved with. */
export interface KnownModels {
  readonly models: readonly Model[];
  readonly resolveModel: ResolveModel | undefined;
}

/** Returns a copy with fields of the right types: untyped code may return anything. */
function mustBeModel(name: string, resolved: Model): Model {
  const { provider, id = "", facts, price } = resolved as Partial<Model>;
  const isUsable =
    typeof provider?.id === "string" &&
    typeof provider.stream === "function" &&
    typeof id === "string" &&
    (facts === undefined || typeof facts === "object") &&
    (price === undefined || typeof price === "object");
  if (isUsable) {
    return { provider, id, ...(facts && { facts }), ...(price && { price }) };
  }
  throw new AgentError(
    "unknown_model",
    `resolveModel returned no model for "${name}": return { provider, id }, or throw`,
  );
}

/** Synchronous if the model is known. Throws an `AgentError`. */
export function findModel(
  choice: ModelChoice,
  { models, resolveModel }: KnownModels,
): Model | Promise<Model> {
  if (typeof choice !== "string") return toModel(choice);
  const known = models.find((model) => nameOf(model) === choice);
  if (known !== undefined) return known;
  if (resolveModel !== undefined) {
    return andThen(resolveModel(choice), (resolved) => mustBeModel(choice, resolved));
  }
  throw new AgentError(
    "unknown_model",
    `Unknown model "${choice}": add it to models, or pass resolveModel to look it up`,
  );
}
