/** Base class of all errors that leave Capstan: callers can switch on the code. */

/** In the global symbol registry, not in the types: two copies of this package share it, and their classes stay assignable. */
const brand = Symbol.for("capstan.error");

/** Base of every error class. `docs/errors.md` lists the codes; messages are for people and may change. */
export class CapstanError<Code extends string = string> extends Error {
  override readonly name: string = "CapstanError";
  readonly code: Code;

  static {
    // On the prototype and not enumerable: a printed or compared error does not show it.
    Object.defineProperty(this.prototype, brand, { value: true });
  }

  constructor(code: Code, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
  }
}

/** Checks the brand: `instanceof` fails across two copies of this package, or two realms. */
export function isCapstanError(value: unknown): value is CapstanError {
  return typeof value === "object" && value !== null && brand in value;
}
