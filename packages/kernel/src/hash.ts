/**
 * SHA-256 of a JSON value. Written out because the kernel may import nothing and because WebCrypto's digest is
 * asynchronous, which would put a wait in front of every tool call.
 */
import type { JsonValue } from "./contracts/conversation.ts";

/** The hexadecimal hash of a value, the same for every order of its keys. */
export function hashJson(value: JsonValue): string {
  return sha256(new TextEncoder().encode(canonicalJson(value)));
}

function canonicalJson(value: JsonValue): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (isList(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const fields = Object.keys(value)
    .sort()
    // JSON.stringify leaves such fields out, so a stored value has lost them too.
    .filter((key) => value[key] !== undefined)
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] as JsonValue)}`);
  return `{${fields.join(",")}}`;
}

// `Array.isArray` does not narrow a readonly array.
function isList(value: object): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function sha256(bytes: Uint8Array): string {
  const words = padded(bytes);
  const hash = new Uint32Array(initialHash);
  const schedule = new Uint32Array(64);
  for (let block = 0; block < words.length; block += 16) compress(hash, schedule, words, block);
  return Array.from(hash, (word) => word.toString(16).padStart(8, "0")).join("");
}

/** The message as big-endian words: a 1 bit, zeros, and the length in bits in the last eight bytes. */
function padded(bytes: Uint8Array): Uint32Array {
  const blocks = Math.ceil((bytes.length + 9) / 64);
  const view = new DataView(new ArrayBuffer(blocks * 64));
  for (let i = 0; i < bytes.length; i++) view.setUint8(i, bytes[i] as number);
  view.setUint8(bytes.length, 0x80);
  view.setUint32(blocks * 64 - 8, Math.floor(bytes.length / 0x20000000));
  view.setUint32(blocks * 64 - 4, (bytes.length << 3) >>> 0);
  return Uint32Array.from({ length: blocks * 16 }, (_, i) => view.getUint32(i * 4));
}

function compress(hash: Uint32Array, schedule: Uint32Array, words: Uint32Array, at: number): void {
  // Typed arrays of fixed length: every index below is in range.
  const w = (i: number): number => schedule[i] as number;
  for (let i = 0; i < 16; i++) schedule[i] = words[at + i] as number;
  for (let i = 16; i < 64; i++) {
    const s0 = rotate(w(i - 15), 7) ^ rotate(w(i - 15), 18) ^ (w(i - 15) >>> 3);
    const s1 = rotate(w(i - 2), 17) ^ rotate(w(i - 2), 19) ^ (w(i - 2) >>> 10);
    schedule[i] = w(i - 16) + s0 + w(i - 7) + s1;
  }
  let [a, b, c, d, e, f, g, h] = hash as unknown as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  for (let i = 0; i < 64; i++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (roundConstants[i] as number) + w(i)) >>> 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) >>> 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) >>> 0, c, b, a, (t1 + t2) >>> 0];
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) hash[i] = (hash[i] as number) + word;
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

/** The first 32 bits of the fractional parts of a root of the first primes: FIPS 180-4, sections 4.2.2 and 5.3.3. */
function fractionsOfRoots(count: number, root: (prime: number) => number): Uint32Array {
  const fractions = new Uint32Array(count);
  for (let prime = 2, found = 0; found < count; prime++) {
    if (!isPrime(prime)) continue;
    fractions[found++] = (root(prime) % 1) * 0x100000000;
  }
  return fractions;
}

function isPrime(n: number): boolean {
  for (let divisor = 2; divisor * divisor <= n; divisor++) if (n % divisor === 0) return false;
  return true;
}

const initialHash = fractionsOfRoots(8, Math.sqrt);
const roundConstants = fractionsOfRoots(64, Math.cbrt);
