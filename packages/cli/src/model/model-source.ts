/** Resolves model names with what this user has: keys, servers, and custom vendors. */
import type { Model, ModelRegistry, RegisteredModel, ResolveModel } from "@capstan/core";
import { createModelRegistry, isCapstanError, modelResolver } from "@capstan/core";
import { offlineProvider } from "@capstan/providers/offline";
import type { Env } from "../config/env.ts";
import type { ModelSettings, Settings } from "../config/settings.ts";
import type { KnownVendor } from "./known-vendors.ts";
import { knownVendors, reachModel } from "./known-vendors.ts";
import { lookForLocal, placeOf } from "./look-for-local.ts";
import { ModelError } from "../errors/model-error.ts";

export interface ModelSource {
  readonly vendors: readonly KnownVendor[];
  readonly registry: ModelRegistry;
  /** The resolved model has a context window. Throws a `ModelError`. */
  readonly resolve: ResolveModel;
}

/** For a server the user named: a busy one may take a moment. */
const namedServerMs = 2_000;

export const offlineModel: Model = { provider: offlineProvider(), id: "" };

/** Throws a `ModelError` if a custom vendor is incomplete. */
export function createModelSource(settings: Settings, env: Env): ModelSource {
  const vendors = knownVendors(settings, env);
  const own = Object.entries(settings.providers).flatMap(([vendor, { models = [] }]) =>
    models.map((model) => toRegistered(vendor, model)),
  );
  const registry = createModelRegistry({ models: own });
  const snapshot = createModelRegistry();
  const reachable = vendors.filter(({ missing }) => missing === undefined);
  const find = modelResolver({
    registry,
    vendors: Object.fromEntries(
      reachable.map((vendor) => [vendor.row.id, (id: string) => reachModel(vendor, id)]),
    ),
  });

  const findOrExplain = async (name: string): Promise<Model> => {
    try {
      return await find(name);
    } catch (thrown) {
      if (!isCapstanError(thrown)) throw thrown;
      throw (
        (await whatIsMissing(name, { vendors, registry })) ??
        unknown(await noSuchModel(name, registry), thrown)
      );
    }
  };
  const resolve = async (name: string): Promise<Model> => {
    if (name === offlineModel.provider.id) return offlineModel;
    const model = await findOrExplain(name);
    // Facts missing in the configuration come from the registry.
    const known = await snapshot.get(model.provider.id, model.id);
    const facts = { ...known?.facts, ...model.facts };
    const price = model.price ?? known?.price;
    const whole: Model = { ...model, facts, ...(price && { price }) };
    return facts.contextWindow === undefined ? withWindow(whole, vendors) : whole;
  };
  return { vendors, registry, resolve };
}

function toRegistered(
  vendor: string,
  { id, contextWindow, maxOutput, price }: ModelSettings,
): RegisteredModel {
  return {
    vendor,
    id,
    facts: { contextWindow, ...(maxOutput !== undefined && { maxOutputTokens: maxOutput }) },
    ...(price && { price }),
  };
}

/** Explains what to set before the model is available. */
async function whatIsMissing(
  name: string,
  { vendors, registry }: Pick<ModelSource, "vendors" | "registry">,
): Promise<ModelError | undefined> {
  const names = registry.namesOf(name);
  const known = await Promise.all(names.map((candidate) => registry.find(candidate)));
  const ids = new Set(known.flat().map(({ vendor }) => vendor));
  for (const candidate of names) ids.add(candidate.slice(0, Math.max(0, candidate.indexOf("/"))));
  const meant = vendors.filter(({ row, missing }) => missing !== undefined && ids.has(row.id));
  const [first] = meant;
  if (first === undefined) return undefined;
  if (meant.every(({ missing }) => missing === "base_url")) return noBaseUrl(name, first);
  const makers = meant.map(({ row }) => row.name).join(", ");
  const variables = meant.map(({ row }) => row.keyVariable).join(" or ");
  return new ModelError("missing_key", `No key for model "${name}" of ${makers}: set ${variables}`);
}

async function noSuchModel(name: string, registry: ModelRegistry): Promise<string> {
  const similar = await registry.suggest(name);
  const meant = similar.length === 0 ? "" : ` Did you mean ${similar.join(" or ")}?`;
  return `Unknown model "${name}".${meant} See \`capstan models\`; for a model it does not list, use vendor/id`;
}

function noBaseUrl(name: string, { row }: KnownVendor): ModelError {
  const variable = row.baseUrlVariable === undefined ? "" : `${row.baseUrlVariable}, or `;
  return new ModelError(
    "missing_base_url",
    `No base URL for model "${name}" of ${row.name}: set ${variable}providers.${row.id}.baseUrl in the configuration`,
  );
}

function unknown(message: string, cause?: unknown): ModelError {
  return new ModelError("unknown_model", message, { cause });
}

/** Queries servers on this machine, and servers at a base URL the user has set. Vendors' own services are in the registry. */
async function withWindow(model: Model, vendors: readonly KnownVendor[]): Promise<Model> {
  const vendor = vendors.find(({ row }) => row.id === model.provider.id);
  const isElsewhere =
    vendor !== undefined && (vendor.isOwn || vendor.baseUrl !== vendor.row.baseUrl);
  const contextWindow =
    vendor?.isLocal === true
      ? await askedWindow(model, vendor)
      : isElsewhere
        ? await model.provider.findContextWindow?.(model.id, {})
        : undefined;
  if (contextWindow !== undefined) return { ...model, facts: { ...model.facts, contextWindow } };
  const { provider, id } = model;
  throw new ModelError(
    "unknown_window",
    `Unknown context window of "${provider.id}/${id}": add {"id":"${id}","contextWindow":…} to providers.${provider.id}.models in the configuration`,
  );
}

/** Throws a `ModelError` if the server is not running, or does not have the model. */
async function askedWindow(model: Model, vendor: KnownVendor): Promise<number | undefined> {
  const { signal } = new AbortController();
  const [server] = await lookForLocal([vendor], { signal, limitMs: namedServerMs });
  const address = `${vendor.row.name} at ${placeOf(vendor)}`;
  if (server?.state !== "found") {
    const what = server?.state === "other" ? "is a different server" : "does not answer";
    throw new ModelError(
      "absent_server",
      `Cannot use model "${vendor.row.id}/${model.id}": ${address} ${what}. Start it, or set ${vendor.row.baseUrlVariable ?? "its base URL"}`,
    );
  }
  // Ollama omits the tag of the latest version.
  const found = server.models.find(({ id }) => [model.id, `${model.id}:latest`].includes(id));
  if (found !== undefined) return found.contextWindow;
  const names = server.models.map(({ id }) => id).join(", ") || "none";
  throw unknown(`${address} has no model "${model.id}". It has: ${names}`);
}
