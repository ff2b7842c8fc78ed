/** Keeps secrets out of messages, in case a vendor repeats them. */
import { ProviderError } from "@capstan/kernel";

const secretName = /auth|key|token|secret|cookie/i;

/** Secret values of a request: the key, and headers whose names suggest a secret. */
export class Secrets {
  readonly #values: readonly string[];

  constructor(headers: Headers) {
    const values: string[] = [];
    for (const [name, value] of headers) {
      if (secretName.test(name)) values.push(value.replace(/^(bearer|basic|token) /i, ""));
    }
    // A short value would also match unrelated words.
    this.#values = values
      .filter((value) => value.length >= 8)
      .flatMap((value) => [value, ...base64Of(value)]);
  }

  hide(text: string): string {
    let shown = text;
    for (const value of this.#values) shown = shown.replaceAll(value, "[hidden]");
    return shown;
  }

  hideIn(error: ProviderError): ProviderError {
    const message = this.hide(error.message);
    return message === error.message ? error : copyError(error, { message });
  }
}

/** The base64 form in both alphabets, without padding and without the character that depends on what follows the value. */
function base64Of(value: string): readonly string[] {
  let bytes = "";
  for (const byte of new TextEncoder().encode(value)) bytes += String.fromCharCode(byte);
  const text = btoa(bytes).replaceAll("=", "");
  const whole = value.length % 3 === 0 ? text : text.slice(0, -1);
  return [...new Set([whole, whole.replaceAll("+", "-").replaceAll("/", "_")])];
}

/** Copies an error with changes. */
export function copyError(
  error: ProviderError,
  changes: { readonly message?: string; readonly rejected?: ProviderError["rejected"] },
): ProviderError {
  const { code, retryable, retryAfterMs, status, cause } = error;
  const { message = error.message, rejected = error.rejected } = changes;
  return new ProviderError(code, message, { retryable, retryAfterMs, status, rejected, cause });
}
