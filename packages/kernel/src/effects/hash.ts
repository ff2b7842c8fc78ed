/**
 * SHA-256 of a JSON value. Implemented here because the kernel may import nothing, and because WebCrypto's digest is asynchronous, which
 * would add a wait before every tool call.
 */
import type { JsonValue } from "../contracts/conversation.ts";

/** Hexadecimal hash of a value, independent of the order of its keys. */
export function hashJson(value: JsonValue): string {
  return sha256(canonicalJson(value));
}

function canonicalJson(value: JsonValue): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (isList(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const fields = Object.keys(value)
    .sort()
    // JSON.stringify omits such fields, so a stored value has lost them too.
    .filter((key) => value[key] !== undefined)
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] as JsonValue)}`);
  return `{${fields.join(",")}}`;
}

// `Array.isArray` does not narrow a readonly array.
function isList(value: object): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Reused by every hash, which runs without interruption: allocating them takes longer than hashing a short text. */
const utf8 = new TextEncoder();
const hash = new Uint32Array(8);
const schedule = new Uint32Array(64);
const shortMessage = new Uint8Array(1_024);
const ascii = new TextDecoder();
const hexDigits = new Uint8Array(64);
const zeroCode = "0".charCodeAt(0);
const letterCode = "a".charCodeAt(0) - 10;

function sha256(text: string): string {
  const message = padded(text);
  hash.set(initialHash);
  for (let at = 0; at < message.byteLength; at += 64) compress(message, at);
  return hexOfHash();
}

/** Digits are collected as bytes: eight numbers converted to text, and joined, take a fifth of the time of a hash. */
function hexOfHash(): string {
  for (let i = 0; i < hexDigits.length; i++) {
    const word = hash[i >>> 3] as number;
    const digit = (word >>> (28 - (i & 7) * 4)) & 0xf;
    hexDigits[i] = digit < 10 ? zeroCode + digit : letterCode + digit;
  }
  return ascii.decode(hexDigits);
}

/** Message, a 1 bit, zeros, and the length in bits in the last eight bytes. */
function padded(text: string): DataView {
  // A UTF-16 code unit takes three bytes at most.
  const maxBytes = text.length * 3 + 72;
  const bytes = maxBytes > shortMessage.length ? new Uint8Array(maxBytes) : shortMessage;
  const { written } = utf8.encodeInto(text, bytes);
  const end = Math.ceil((written + 9) / 64) * 64;
  bytes.fill(0, written, end);
  bytes[written] = 0x80;
  const view = new DataView(bytes.buffer, 0, end);
  view.setUint32(end - 8, Math.floor(written / 0x20000000));
  view.setUint32(end - 4, (written << 3) >>> 0);
  return view;
}

/** Plain variables that stay 32-bit integers: allocating a list of eight per round costs more than the hash itself. */
function compress(message: DataView, at: number): void {
  // Typed arrays of fixed length: every index below is in range.
  for (let i = 0; i < 16; i++) schedule[i] = message.getUint32(at + i * 4);
  for (let i = 16; i < 64; i++) {
    const far = schedule[i - 15] as number;
    const near = schedule[i - 2] as number;
    const s0 = rotate(far, 7) ^ rotate(far, 18) ^ (far >>> 3);
    const s1 = rotate(near, 17) ^ rotate(near, 19) ^ (near >>> 10);
    schedule[i] = (schedule[i - 16] as number) + s0 + (schedule[i - 7] as number) + s1;
  }
  let a = (hash[0] as number) | 0;
  let b = (hash[1] as number) | 0;
  let c = (hash[2] as number) | 0;
  let d = (hash[3] as number) | 0;
  let e = (hash[4] as number) | 0;
  let f = (hash[5] as number) | 0;
  let g = (hash[6] as number) | 0;
  let h = (hash[7] as number) | 0;
  for (let i = 0; i < 64; i++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const added = (roundConstants[i] as number) + (schedule[i] as number);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + added) | 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  hash[0] = (hash[0] as number) + a;
  hash[1] = (hash[1] as number) + b;
  hash[2] = (hash[2] as number) + c;
  hash[3] = (hash[3] as number) + d;
  hash[4] = (hash[4] as number) + e;
  hash[5] = (hash[5] as number) + f;
  hash[6] = (hash[6] as number) + g;
  hash[7] = (hash[7] as number) + h;
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

/** First 32 bits of the fractional parts of a root of the first primes: FIPS 180-4, sections 4.2.2 and 5.3.3. */
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
