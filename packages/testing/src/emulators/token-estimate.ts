/** Estimates tokens by the rule of thumb: four characters each. Images and files count as a fixed number, whatever their size. */
import type { JsonValue } from "@capstan/kernel";
import { isList, isObject } from "./json.ts";

const tokensOfMedia = 1_500;
const mediaKeys: ReadonlySet<string> = new Set(["data", "image_url", "file_data"]);
/** Fields that the client only carries, and the model does not read. */
const carriedKeys: ReadonlySet<string> = new Set([
  "signature",
  "encrypted_content",
  "thoughtSignature",
]);

export function estimateTokens(value: JsonValue): number {
  return Math.ceil(countCharacters(value, false) / 4);
}

function countCharacters(value: JsonValue, isMedia: boolean): number {
  if (typeof value === "string") return isMedia ? tokensOfMedia * 4 : value.length;
  if (isList(value))
    return value.reduce<number>((sum, item) => sum + countCharacters(item, false), 0);
  if (!isObject(value)) return value === null ? 0 : String(value).length;
  if (isMedia && typeof value["url"] === "string") return tokensOfMedia * 4;
  return Object.entries(value).reduce(
    // The name of a field counts as one; exact costs do not matter to tests.
    (sum, [key, inner]) =>
      carriedKeys.has(key) ? sum : sum + 1 + countCharacters(inner, mediaKeys.has(key)),
    0,
  );
}
