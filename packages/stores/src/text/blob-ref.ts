/** Name of a blob: derived from the bytes alone, the same in every store of this package. */
import { createHash } from "node:crypto";

export function toBlobRef(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Rejects strings that were never returned as a name, paths above all. */
export function isBlobRef(ref: string): boolean {
  return /^[0-9a-f]{64}$/.test(ref);
}
