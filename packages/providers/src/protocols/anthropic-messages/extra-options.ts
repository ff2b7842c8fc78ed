/** What the caller's own options for this vendor say beside the body. */
import type { CacheControl } from "./request.ts";
import type { JsonObject } from "../../wire/wire-json.ts";
import { isObject, listOf } from "../../wire/wire-json.ts";

/** What no option of the caller changes: another value would not be understood on the way back, or stands elsewhere. */
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

/** What the markers for the cache say: `cache_control` of the caller, as for a longer life; undefined if it is `null`: no markers. */
export function markerOf({ cache_control: wanted }: JsonObject): CacheControl | undefined {
  if (wanted === null) return undefined;
  // What is not as the vendor wants it is the vendor's to refuse.
  return isObject(wanted) ? (wanted as unknown as CacheControl) : { type: "ephemeral" };
}

/** How many markers for the cache the caller has set. */
export function countMarkers(extra: JsonObject): number {
  const places = [...listOf(extra["tools"]), ...listOf(extra["system"])];
  return places.filter((place) => isObject(place) && isObject(place["cache_control"])).length;
}
