/** What an agent thinks with: a provider and the id of a model of its. */
import type { ProviderContract } from "@capstan/kernel";
import type { ModelPrice } from "./cost.ts";

export interface Model {
  readonly provider: ProviderContract;
  /** As the provider knows it; empty where it has only one. */
  readonly id: string;
  /** Tokens that fit into one request and its reply, where it is known. */
  readonly contextWindow?: number;
  readonly price?: ModelPrice;
}

/** A model, a provider that has only one, or a name that `resolveModel` knows. */
export type ModelChoice = Model | ProviderContract | string;

export type ResolveModel = (name: string) => Model | Promise<Model>;

function isProvider(choice: Model | ProviderContract): choice is ProviderContract {
  return "stream" in choice;
}

export function toModel(choice: Model | ProviderContract): Model {
  if (!isProvider(choice)) return choice;
  const { contextWindow } = choice;
  return { provider: choice, id: "", ...(contextWindow !== undefined && { contextWindow }) };
}

/** The name that a log has of a model. */
export function nameOf({ provider, id }: Model): string {
  return id === "" ? provider.id : `${provider.id}/${id}`;
}
