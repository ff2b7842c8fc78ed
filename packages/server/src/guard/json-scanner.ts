/** Counts depth and values of JSON while its bytes arrive, so that a body is rejected before it is parsed. */
import { invalidRequest } from "./server-error.ts";

export interface JsonLimits {
  readonly maxJsonDepth: number;
  readonly maxJsonValues: number;
}

/** Longest number or word outside of a string: no JSON number needs more, and long ones are slow to parse. */
const maxLiteralBytes = 1_000;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * Understands only strings and brackets. Invalid JSON is left to the parser, which then has no more to read than the limits
 * allow. Bytes above 127 are parts of strings, or invalid JSON.
 */
export class JsonScanner {
  readonly #limits: JsonLimits;
  #depth = 0;
  #values = 1;
  #isInString = false;
  #isEscaped = false;
  /** Whether a list or an object was opened and is still empty. */
  #isFresh = false;
  #literalBytes = 0;

  constructor(limits: JsonLimits) {
    this.#limits = limits;
  }

  /** Fails with `invalid_request` as soon as a limit is exceeded. */
  scan(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += 1) {
      if (this.#isInString) {
        at = this.#skipString(bytes, at);
        continue;
      }
      // In range because of the loop condition.
      const byte = bytes[at] as number;
      // Space, tab and line breaks.
      if (byte <= 0x20) this.#literalBytes = 0;
      else this.#take(byte);
    }
  }

  #take(byte: number): void {
    if (this.#isFresh) {
      this.#isFresh = false;
      if (byte !== closeBracket && byte !== closeBrace) this.#addValue();
    }
    switch (byte) {
      case quote:
        this.#isInString = true;
        this.#literalBytes = 0;
        return;
      case openBracket:
      case openBrace:
        this.#depth += 1;
        if (this.#depth > this.#limits.maxJsonDepth) throw tooDeep(this.#limits.maxJsonDepth);
        this.#isFresh = true;
        this.#literalBytes = 0;
        return;
      case closeBracket:
      case closeBrace:
        this.#depth -= 1;
        this.#literalBytes = 0;
        return;
      case comma:
        this.#addValue();
        this.#literalBytes = 0;
        return;
      case colon:
        this.#literalBytes = 0;
        return;
      default:
        this.#literalBytes += 1;
        if (this.#literalBytes > maxLiteralBytes)
          throw invalidRequest("The body is not valid JSON");
    }
  }

  /** Index of the closing quote, or of the last byte. */
  #skipString(bytes: Uint8Array, from: number): number {
    for (let at = from; at < bytes.length; at += 1) {
      if (this.#isEscaped) {
        this.#isEscaped = false;
        continue;
      }
      const byte = bytes[at];
      if (byte === backslash) this.#isEscaped = true;
      else if (byte === quote) {
        this.#isInString = false;
        return at;
      }
    }
    return bytes.length;
  }

  #addValue(): void {
    this.#values += 1;
    if (this.#values > this.#limits.maxJsonValues) throw tooMany(this.#limits.maxJsonValues);
  }
}

function tooDeep(levels: number): Error {
  return invalidRequest(`The body is nested deeper than ${levels} levels`);
}

function tooMany(values: number): Error {
  return invalidRequest(`The body has more than ${values} values`);
}
