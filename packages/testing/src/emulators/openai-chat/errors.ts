/** Converts scripted failures to a server's own errors, for any dialect. */
import { ProviderError } from "@capstan/kernel";
import { Refusal } from "../refusal.ts";
import type { Path } from "../shape.ts";
import type { Failures } from "./dialect.ts";

export function toRefusal(error: Error, failures: Failures): Refusal {
  if (!(error instanceof ProviderError) || error.code === "network" || error.code === "protocol") {
    return new Refusal(error.message, { status: 500, type: "server_error" });
  }
  const { message: usual, ...options } = failures[error.code];
  // If a script names only the code, use the vendor's usual message.
  const message = error.message.startsWith("scripted ") ? usual : error.message;
  const { retryAfterMs } = error;
  return new Refusal(message, {
    ...options,
    ...(error.status !== undefined && { status: error.status }),
    headers: {
      ...(retryAfterMs !== undefined && {
        "retry-after": String(Math.ceil(retryAfterMs / 1000)),
        "retry-after-ms": String(retryAfterMs),
      }),
    },
  });
}

/** Formats a path as `messages[0].content`, without the tags of unions. */
export function toBracketPath(path: Path): string {
  return path
    .filter((segment) => typeof segment !== "object")
    .map((segment, at) => {
      if (typeof segment === "number") return `[${segment}]`;
      return at === 0 ? segment : `.${segment}`;
    })
    .join("");
}

/** Formats a path as `messages.0.content`, without the tags of unions. */
export function toDottedPath(path: Path): string {
  return path.filter((segment) => typeof segment !== "object").join(".");
}

export function maskKey(key: string): string {
  return key.length > 12 ? `${key.slice(0, 8)}***${key.slice(-4)}` : "***";
}
