/** Reads the caller's vendor options that do not go into the body. */
import type { CacheControl } from "./request.ts";
import type { JsonObject } from "../../wire/wire-json.ts";
import { isObject, listOf } from "../../wire/wire-json.ts";

/** Options the caller cannot override: the reply could not be decoded, or the value belongs elsewhere. */
export const reservedOptions: readonly string[] = [
  "model",
  "messages",
  "stream",
  "betas",
  "cache_control",
];

export function betasOf(extra: JsonObject): string[] {
  return listOf(extra["betas"]).filter((beta) => typeof beta === "string");
}

/** The cache marker: the caller's `cache_control`, for example with a longer ttl; undefined if it is `null`, for no markers. */
export function markerOf({ cache_control: wanted }: JsonObject): CacheControl | undefined {
  if (wanted === null) return undefined;
  // Rejecting an invalid marker is left to the vendor.
  return isObject(wanted) ? (wanted as unknown as CacheControl) : { type: "ephemeral" };
}

/** Number of cache markers the caller has set. */
export function countMarkers(extra: JsonObject): number {
  const markable = [...listOf(extra["tools"]), ...listOf(extra["system"])];
  return markable.filter((item) => isObject(item) && isObject(item["cache_control"])).length;
}
