/** Chooses the model a turn runs on, with a reason. */
import type { Model } from "@capstan/core";
import type { Settings } from "../config/settings.ts";
import type { KnownVendor } from "./known-vendors.ts";
import { reachModel } from "./known-vendors.ts";
import { localServers } from "./local-servers.ts";
import type { FoundServer } from "./look-for-local.ts";
import { lookForLocal, placeOf } from "./look-for-local.ts";
import type { ModelSource } from "./model-source.ts";
import { offlineModel } from "./model-source.ts";

export { createModelSource } from "./model-source.ts";
export type { ModelSource } from "./model-source.ts";

export interface ChosenModel {
  readonly model: Model;
  /** For example "anthropic/claude-opus-5". */
  readonly name: string;
  /** Completes "using …, because …" for the user. */
  readonly reason: string;
}

export interface ModelChoiceInput {
  readonly settings: Settings;
  readonly source: ModelSource;
  readonly isOffline: boolean;
  readonly signal: AbortSignal;
}

/** Chooses the requested model, else one with a key, else one served on this machine, else the offline provider. Throws a `ModelError`. */
export async function chooseModel({
  settings,
  source,
  isOffline,
  signal,
}: ModelChoiceInput): Promise<ChosenModel> {
  if (isOffline) return toChosen(offlineModel, "--offline was given");
  if (settings.model !== undefined) {
    return toChosen(await source.resolve(settings.model), "it was requested");
  }
  return (
    (await ofKeys(source)) ??
    (await ofConfiguration(settings, source)) ??
    ofServers(await lookForLocal(source.vendors, { signal, limitMs: settings.lookMs })) ??
    toChosen(offlineModel, nothingFound(source))
  );
}

/** First vendor of the default models whose key is set. */
async function ofKeys({
  vendors,
  registry,
  resolve,
}: ModelSource): Promise<ChosenModel | undefined> {
  for (const name of registry.namesOf("default")) {
    const vendor = vendorOf(vendors, name);
    if (vendor?.missing === undefined && vendor?.apiKey !== undefined) {
      return toChosen(await resolve(name), `${vendor.row.keyVariable} is set`);
    }
  }
  return undefined;
}

/** First model of a custom vendor in the configuration. */
async function ofConfiguration(
  settings: Settings,
  { vendors, resolve }: ModelSource,
): Promise<ChosenModel | undefined> {
  for (const { row, missing, isOwn } of vendors) {
    const [first] = settings.providers[row.id]?.models ?? [];
    if (isOwn && missing === undefined && first !== undefined) {
      const model = await resolve(`${row.id}/${first.id}`);
      return toChosen(model, "it is in the configuration and no vendor's key is set");
    }
  }
  return undefined;
}

/** First usable model: it supports tool calls, and its context window is known. */
function ofServers(servers: readonly FoundServer[]): ChosenModel | undefined {
  for (const { vendor, models } of servers) {
    const model = models.find(({ isSuitable, contextWindow }) => isSuitable && contextWindow);
    if (model !== undefined) {
      const reason = `no key is set and ${vendor.row.name} is running at ${placeOf(vendor)}`;
      return toChosen(reachModel(vendor, model.id, model), reason);
    }
  }
  return undefined;
}

function nothingFound({ vendors, registry }: ModelSource): string {
  const nameOf = (id: string): string => vendorOf(vendors, id)?.row.name ?? id;
  const servers = Object.keys(localServers).map(nameOf);
  const variables = registry
    .namesOf("default")
    .map((name) => vendorOf(vendors, name)?.row.keyVariable);
  return `no key is set (${variables.slice(0, 2).join(", ")}, …) and none of ${servers.join(", ")} is running with a model; see \`capstan doctor\``;
}

/** Finds a vendor by its id, or by the name of one of its models. */
function vendorOf(vendors: readonly KnownVendor[], name: string): KnownVendor | undefined {
  return vendors.find(({ row }) => row.id === name || name.startsWith(`${row.id}/`));
}

function toChosen(model: Model, reason: string): ChosenModel {
  const { provider, id } = model;
  return { model, name: id === "" ? provider.id : `${provider.id}/${id}`, reason };
}
