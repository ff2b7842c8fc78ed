/** Position of the calling code in a trace. */
import type { Logger } from "@capstan/kernel";

/** Undefined if the logger cannot tell. */
export function traceOf({ logger }: { readonly logger: Logger | undefined }): string | undefined {
  try {
    const trace: unknown = logger?.trace?.();
    return typeof trace === "string" ? trace : undefined;
  } catch {
    // A trace is not worth a message.
    return undefined;
  }
}
