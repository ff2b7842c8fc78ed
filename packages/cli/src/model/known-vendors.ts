/** Vendors available to this user: the built-in ones, as changed by the configuration, and custom ones. */
import type { Model } from "@capstan/core";
import type { Vendor } from "@capstan/providers/vendors";
import { vendorFunction, vendorRows } from "@capstan/providers/vendors";
import type { Env } from "../config/env.ts";
import type { ProviderSettings, Settings } from "../config/settings.ts";
import { localServers } from "./local-servers.ts";
import { ModelError } from "../errors/model-error.ts";

export interface KnownVendor {
  readonly row: Vendor;
  /** Undefined if not set. Sent in requests, never shown. */
  readonly apiKey: string | undefined;
  /** Empty if the vendor has no common base URL and the user has set none. */
  readonly baseUrl: string;
  /** Undefined if nothing is missing. */
  readonly missing: "key" | "base_url" | undefined;
  /** True if it runs on this machine and can list its models. */
  readonly isLocal: boolean;
  /** True if the configuration adds it. */
  readonly isOwn: boolean;
}

/** Vendor whose row is the template for a custom vendor with that protocol. */
const examples: Readonly<Record<NonNullable<ProviderSettings["protocol"]>, string>> = {
  "anthropic-messages": "anthropic",
  "google-generate": "google",
  "openai-chat": "lmstudio",
  "openai-responses": "openai",
};

/** Returns the vendors in list order, custom ones last. Throws a `ModelError` if one is incomplete. */
export function knownVendors(settings: Settings, env: Env): readonly KnownVendor[] {
  const known = vendorRows.map((row) => toKnown(row, settings.providers[row.id] ?? {}, env, false));
  const ids = new Set(vendorRows.map(({ id }) => id));
  const own = Object.entries(settings.providers)
    .filter(([id]) => !ids.has(id))
    .map(([id, provider]) => toKnown(ownRow(id, provider), provider, env, true));
  return [...known, ...own];
}

/** Sends nothing until the model is called. */
export function reachModel(
  { row, apiKey, baseUrl }: KnownVendor,
  id: string,
  { contextWindow }: { readonly contextWindow?: number } = {},
): Model {
  const model = vendorFunction(row)(id, { baseUrl, ...(apiKey !== undefined && { apiKey }) });
  return { ...model, ...(contextWindow !== undefined && { facts: { contextWindow } }) };
}

function toKnown(
  row: Vendor,
  { protocol, baseUrl, keyVariable, headers }: ProviderSettings,
  env: Env,
  isOwn: boolean,
): KnownVendor {
  const changed: Vendor = {
    ...row,
    ...(protocol !== undefined && { protocol: exampleOf(protocol).protocol }),
    keyVariable: keyVariable ?? row.keyVariable,
    ...(headers && { headers: { ...row.headers, ...headers } }),
  };
  const apiKey = valueOf(env, changed.keyVariable);
  // The environment overrides the files, as everywhere.
  const address = valueOf(env, row.baseUrlVariable) ?? baseUrl ?? row.baseUrl;
  const needsKey = changed.keyVariable !== undefined && !hasKeyHeader(changed, headers);
  const missingKey = needsKey && apiKey === undefined ? "key" : undefined;
  return {
    row: changed,
    apiKey,
    baseUrl: address,
    missing: missingKey ?? (address === "" ? "base_url" : undefined),
    isLocal: Object.hasOwn(localServers, row.id),
    isOwn,
  };
}

function ownRow(id: string, { protocol, baseUrl, keyVariable }: ProviderSettings): Vendor {
  if (protocol === undefined || baseUrl === undefined) {
    const missing = protocol === undefined ? "protocol" : "baseUrl";
    throw new ModelError(
      "incomplete_vendor",
      `Unknown vendor "${id}" in the configuration, without a ${missing}: add providers.${id}.${missing}, or correct the name. Known vendors: ${vendorRows.map((row) => row.id).join(", ")}`,
    );
  }
  const { headers, media, quirks } = exampleOf(protocol);
  return {
    id,
    name: id,
    protocol: exampleOf(protocol).protocol,
    baseUrl,
    keyVariable,
    ...(headers && { headers }),
    ...(media && { media }),
    quirks,
  };
}

function exampleOf(protocol: NonNullable<ProviderSettings["protocol"]>): Vendor {
  const row = vendorRows.find(({ id }) => id === examples[protocol]);
  if (row === undefined) throw new TypeError(`no vendor speaks ${protocol}`);
  return row;
}

function hasKeyHeader({ quirks }: Vendor, headers: ProviderSettings["headers"] = {}): boolean {
  const { keyHeader = "authorization" } = quirks;
  return Object.keys(headers).some((name) => name.toLowerCase() === keyHeader);
}

/** A variable set to an empty string counts as unset. */
function valueOf(env: Env, variable: string | undefined): string | undefined {
  const value = variable === undefined ? undefined : env[variable]?.trim();
  return value === "" ? undefined : value;
}
