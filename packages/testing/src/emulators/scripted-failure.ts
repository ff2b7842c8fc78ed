/** Converts a failure that a script names to the refusal that a vendor would send. */
import type { ProviderErrorCode } from "@capstan/kernel";
import { ProviderError } from "@capstan/kernel";
import type { RefusalOptions } from "./refusal.ts";
import { Refusal } from "./refusal.ts";

type FailureCode = Exclude<ProviderErrorCode, "network" | "protocol">;

/** The vendor's usual refusals. */
export type Failures = Readonly<Record<FailureCode, RefusalOptions & { readonly message: string }>>;

export interface VendorFailures {
  readonly failures: Failures;
  /** Refusal of a failure that has no code of the vendor. Its status is 500. */
  readonly internal: Pick<RefusalOptions, "type" | "code">;
  /** Options that state when the client may retry. */
  retryAfter(ms: number, options: RefusalOptions): Pick<RefusalOptions, "headers" | "details">;
}

export function toRefusal(error: Error, vendor: VendorFailures): Refusal {
  if (!(error instanceof ProviderError) || error.code === "network" || error.code === "protocol") {
    return new Refusal(error.message, { status: 500, ...vendor.internal });
  }
  const { message: usual, ...options } = vendor.failures[error.code];
  const { message, status, retryAfterMs } = error;
  // If a script names only the code, use the vendor's usual message.
  return new Refusal(message.startsWith("scripted ") ? usual : message, {
    ...options,
    ...(status !== undefined && { status }),
    ...(retryAfterMs !== undefined && vendor.retryAfter(retryAfterMs, options)),
  });
}

/** Retry headers of OpenAI and the servers that follow it. */
export function openAiRetryAfter(ms: number): Pick<RefusalOptions, "headers"> {
  return {
    headers: { "retry-after": String(Math.ceil(ms / 1000)), "retry-after-ms": String(ms) },
  };
}
