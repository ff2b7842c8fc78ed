/** Creates signatures and encrypted content that only the same emulator can read. */
import { createHash, createHmac, randomBytes } from "node:crypto";
import type { JsonValue } from "@capstan/kernel";
import { isList, isObject } from "./json.ts";
import type { JsonObject } from "./json.ts";

export class Sealer {
  readonly #key = randomBytes(32);
  readonly #prefix: string;
  #count = 0;

  /** `prefix` starts every sealed text, as with the vendors. */
  constructor(prefix = "") {
    this.#prefix = prefix;
  }

  /** Never returns the same text twice, as with the vendors. */
  seal(content: JsonObject): string {
    this.#count += 1;
    const body = Buffer.from(JSON.stringify([this.#count, content])).toString("base64url");
    return `${this.#prefix}${body}.${this.#mac(body)}`;
  }

  /** Undefined if another emulator wrote the text, or if it was changed. */
  open(sealed: string): JsonObject | undefined {
    if (!sealed.startsWith(this.#prefix)) return undefined;
    const [body = "", mac] = sealed.slice(this.#prefix.length).split(".");
    if (mac !== this.#mac(body)) return undefined;
    const [, content] = JSON.parse(Buffer.from(body, "base64url").toString()) as [
      number,
      JsonObject,
    ];
    return content;
  }

  #mac(body: string): string {
    return createHmac("sha256", this.#key).update(body).digest("base64url");
  }
}

/** Hashes a value; the order of keys does not matter. */
export function digest(value: JsonValue): string {
  const text = JSON.stringify(sorted(value));
  return createHash("sha256").update(text).digest("base64url").slice(0, 22);
}

function sorted(value: JsonValue): JsonValue {
  if (isList(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key] ?? null)]));
}
