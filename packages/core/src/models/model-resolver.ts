/** Resolves names to models: the registry has the facts, a vendor's function makes the provider. */
import type { ProviderContract } from "@capstan/kernel";
import { AgentError } from "../errors/agent-error.ts";
import type { Model, ResolveModel } from "./model.ts";
import type { ModelRegistry, RegisteredModel } from "./registry.ts";
import { createModelRegistry } from "./registry.ts";

/** Creates a model of a vendor, as `anthropic` of `@capstan/providers/anthropic` does. */
export type VendorFunction = (id: string) => {
  readonly provider: ProviderContract;
  readonly id: string;
};

/** Options of `modelResolver`: the vendors it may use, and where prices and windows come from. */
export interface ModelResolverOptions {
  /** Functions by vendor id. An alias means its first model of one of these vendors. */
  readonly vendors: Readonly<Record<string, VendorFunction>>;
  /** Default: the snapshot. */
  readonly registry?: ModelRegistry;
}

/**
 * Creates the `resolveModel` of an agent. A model that the registry lacks is accepted if its name has the vendor: vendors release new models
 * every week.
 */
export function modelResolver({
  vendors,
  registry = createModelRegistry(),
}: ModelResolverOptions): ResolveModel {
  return async (name) => {
    for (const candidate of registry.namesOf(name)) {
      const known = await registry.find(candidate);
      const reachable = known.find(({ vendor }) => Object.hasOwn(vendors, vendor));
      const model = reachable ?? (known.length === 0 ? ofVendor(candidate, vendors) : undefined);
      if (model !== undefined) return reach(model, vendors);
    }
    throw unknown(name, await registry.suggest(name), Object.keys(vendors));
  };
}

function ofVendor(
  name: string,
  vendors: ModelResolverOptions["vendors"],
): RegisteredModel | undefined {
  const slash = name.indexOf("/");
  const vendor = name.slice(0, Math.max(0, slash));
  const id = name.slice(slash + 1);
  return Object.hasOwn(vendors, vendor) && id !== "" ? { vendor, id } : undefined;
}

function reach(
  { vendor, id, facts, price }: RegisteredModel,
  vendors: ModelResolverOptions["vendors"],
): Model {
  const made = vendors[vendor]?.(id);
  if (made === undefined) throw unknown(`${vendor}/${id}`, [], Object.keys(vendors));
  return { ...made, ...(facts && { facts }), ...(price && { price }) };
}

function unknown(
  name: string,
  suggestions: readonly string[],
  vendors: readonly string[],
): AgentError {
  const meant = suggestions.length === 0 ? "" : ` Did you mean ${suggestions.join(" or ")}?`;
  const message = `Unknown model "${name}" (vendors: ${vendors.join(", ") || "none"}).${meant} Write it as vendor/id, or register it`;
  return new AgentError("unknown_model", message);
}
