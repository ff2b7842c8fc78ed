/** Version of a file: identifies its content, wherever and whenever it is read. */
import { createHash } from "node:crypto";

export function versionOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("base64url").slice(0, 22);
}
