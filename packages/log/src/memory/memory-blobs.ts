/** Blobs of one session, named after their bytes. */
import type { ByteRange } from "../repository/repository.ts";

export class MemoryBlobs {
  readonly #blobs: Map<string, Uint8Array>;

  constructor(blobs: ReadonlyMap<string, Uint8Array> = new Map()) {
    this.#blobs = new Map(blobs);
  }

  /** By ref. */
  get all(): ReadonlyMap<string, Uint8Array> {
    return this.#blobs;
  }

  put(bytes: Uint8Array): string {
    const name = `${hashBytes(bytes)}-${bytes.length}`;
    let ref = name;
    // The hash is fast and not cryptographic: other bytes with the same hash get another name.
    for (let n = 2; ; n += 1) {
      const stored = this.#blobs.get(ref);
      if (stored === undefined) break;
      if (isEqual(stored, bytes)) return ref;
      ref = `${name}-${n}`;
    }
    // Not `bytes.slice()`, which copies nothing for a Buffer.
    this.#blobs.set(ref, new Uint8Array(bytes));
    return ref;
  }

  get(ref: string, range: ByteRange | undefined): Uint8Array | undefined {
    return this.#blobs.get(ref)?.slice(range?.start, range?.end);
  }
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

/**
 * 64 bits, as two lanes of FNV-1a with different seeds and factors. The kernel's SHA-256 takes 200 ms for a megabyte, and this store answers
 * synchronously.
 */
function hashBytes(bytes: Uint8Array): string {
  let left = 0x811c9dc5;
  let right = 0x9747b28c;
  for (let i = 0; i < bytes.length; i += 1) {
    // In range.
    const byte = bytes[i] as number;
    left = Math.imul(left ^ byte, 0x01000193);
    right = Math.imul(right ^ byte, 0x85ebca6b);
    // Mixes the high bits of a lane into the low ones.
    right ^= right >>> 15;
  }
  return toHex(left) + toHex(right);
}

function toHex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, "0");
}
