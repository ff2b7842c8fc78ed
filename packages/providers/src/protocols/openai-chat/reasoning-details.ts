/** Reasoning as a streamed list of details: OpenRouter's form, which must be sent back complete. */
import type { JsonValue } from "@capstan/kernel";
import type { JsonObject } from "../../wire/wire-json.ts";
import { isObject, listOf, textAt } from "../../wire/wire-json.ts";

/** Fields whose pieces are concatenated. */
const texts: ReadonlySet<string> = new Set(["text", "summary", "data"]);

export class ReasoningDetails {
  readonly #details: JsonObject[] = [];

  get isEmpty(): boolean {
    return this.#details.length === 0;
  }

  add(pieces: JsonValue | undefined): void {
    for (const piece of listOf(pieces)) {
      if (!isObject(piece)) continue;
      const last = this.#details.at(-1);
      const isSame =
        last !== undefined && last["index"] === piece["index"] && last["type"] === piece["type"];
      if (isSame) this.#details[this.#details.length - 1] = join(last, piece);
      else this.#details.push(piece);
    }
  }

  /** Removes and returns all details. */
  take(): readonly JsonObject[] {
    return this.#details.splice(0);
  }
}

/** The readable text of some pieces, if the server sends it nowhere else. */
export function readableIn(pieces: JsonValue | undefined): string {
  return listOf(pieces)
    .map((piece) => (isObject(piece) ? (textAt(piece, "text") ?? textAt(piece, "summary")) : ""))
    .join("");
}

function join(one: JsonObject, other: JsonObject): JsonObject {
  const joined: Record<string, JsonValue> = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const before = one[key];
    if (value === null) continue;
    joined[key] =
      texts.has(key) && typeof before === "string" && typeof value === "string"
        ? before + value
        : value;
  }
  return joined;
}
