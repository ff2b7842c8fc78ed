/** Checksum of an entry as stored: CRC-32, so that any flipped bit changes it. */
import { crc32 } from "node:zlib";

export function checksumOf(text: string | Uint8Array): number {
  return crc32(text);
}
