/** CRC-32 as `node:zlib` computes it, which workers do not have. */

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

const encoder = new TextEncoder();

export function crc32(text: string): number {
  let sum = 0xffffffff;
  for (const byte of encoder.encode(text)) {
    // In range.
    sum = (table[(sum ^ byte) & 255] as number) ^ (sum >>> 8);
  }
  return (sum ^ 0xffffffff) >>> 0;
}
