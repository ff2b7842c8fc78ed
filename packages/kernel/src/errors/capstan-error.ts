/** The one family of errors that leave Capstan: whoever catches one can switch on its code. */

/** Of the registry, not of the types: two copies of this package share it, and their classes stay assignable. */
const brand = Symbol.for("capstan.error");

/** The base of every error class. `docs/errors.md` lists the codes; a message is for people and may change. */
export class CapstanError<Code extends string = string> extends Error {
  override readonly name: string = "CapstanError";
  readonly code: Code;

  static {
    // On the prototype and not enumerable: an error that is printed or compared does not show it.
    Object.defineProperty(this.prototype, brand, { value: true });
  }

  constructor(code: Code, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
  }
}

/** By brand: `instanceof` fails where two copies of this package, or two realms, meet. */
export function isCapstanError(value: unknown): value is CapstanError {
  return typeof value === "object" && value !== null && brand in value;
}
