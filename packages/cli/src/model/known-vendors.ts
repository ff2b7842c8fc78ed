/** The vendors that this user can name: those that everybody has, as the configuration changes them, and its own. */
import type { Model } from "@capstan/core";
import type { Vendor } from "@capstan/providers/vendors";
import { vendorFunction, vendorRows } from "@capstan/providers/vendors";
import type { Env } from "../config/env.ts";
import type { ProviderSettings, Settings } from "../config/settings.ts";
import { localServers } from "./local-servers.ts";
import { ModelError } from "../errors/model-error.ts";

export interface KnownVendor {
  readonly row: Vendor;
  /** Undefined where there is none. It goes into requests and into nothing that is shown. */
  readonly apiKey: string | undefined;
  /** Empty where everybody has their own and this user has told none. */
  readonly baseUrl: string;
  /** Undefined if nothing is. */
  readonly missing: "key" | "base_url" | undefined;
  /** On this machine, and asked for its models. */
  readonly isLocal: boolean;
  /** Brought in by the configuration. */
  readonly isOwn: boolean;
}

/** Whose row stands for a vendor of the configuration that speaks that protocol. */
const examples: Readonly<Record<NonNullable<ProviderSettings["protocol"]>, string>> = {
  "anthropic-messages": "anthropic",
  "google-generate": "google",
  "openai-chat": "lmstudio",
  "openai-responses": "openai",
};

/** In the order of the list, the user's own behind it. Throws a `ModelError` for one that is incomplete. */
export function knownVendors(settings: Settings, env: Env): readonly KnownVendor[] {
  const known = vendorRows.map((row) => toKnown(row, settings.providers[row.id] ?? {}, env, false));
  const ids = new Set(vendorRows.map(({ id }) => id));
  const own = Object.entries(settings.providers)
    .filter(([id]) => !ids.has(id))
    .map(([id, provider]) => toKnown(ownRow(id, provider), provider, env, true));
  return [...known, ...own];
}

/** Nothing is sent before the model is asked something. */
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
  // The environment goes before the files, as everywhere.
  const place = valueOf(env, row.baseUrlVariable) ?? baseUrl ?? row.baseUrl;
  const needsKey = changed.keyVariable !== undefined && !hasKeyHeader(changed, headers);
  const missingKey = needsKey && apiKey === undefined ? "key" : undefined;
  return {
    row: changed,
    apiKey,
    baseUrl: place,
    missing: missingKey ?? (place === "" ? "base_url" : undefined),
    isLocal: Object.hasOwn(localServers, row.id),
    isOwn,
  };
}

function ownRow(id: string, { protocol, baseUrl, keyVariable }: ProviderSettings): Vendor {
  if (protocol === undefined || baseUrl === undefined) {
    const missing = protocol === undefined ? "protocol" : "baseUrl";
    throw new ModelError(
      "incomplete_vendor",
      `The configuration has a vendor "${id}" that nobody knows, without its ${missing}: add providers.${id}.${missing}, or correct the name. Known are ${vendorRows.map((row) => row.id).join(", ")}`,
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

/** A variable that is set to nothing is not set. */
function valueOf(env: Env, variable: string | undefined): string | undefined {
  const value = variable === undefined ? undefined : env[variable]?.trim();
  return value === "" ? undefined : value;
}
