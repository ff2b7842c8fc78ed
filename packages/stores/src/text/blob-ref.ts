/** The name of a blob: it follows from the bytes alone, the same in every store of this package. */
import { createHash } from "node:crypto";

export function toBlobRef(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** What was never given is no name, and least of all a path. */
export function isBlobRef(ref: string): boolean {
  return /^[0-9a-f]{64}$/.test(ref);
}
