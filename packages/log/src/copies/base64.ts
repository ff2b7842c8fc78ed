/** Base64 for bytes in JSON lines and values. Built on `btoa` and `atob`, which work on binary strings. */

/** Maximum number of arguments of one call. */
const chunkSize = 0x8000;

/** Encodes bytes as base64. */
export function toBase64(bytes: Uint8Array): string {
  let units = "";
  for (let start = 0; start < bytes.length; start += chunkSize) {
    units += String.fromCharCode(...bytes.subarray(start, start + chunkSize));
  }
  return btoa(units);
}

/** Throws if the text is not Base64. */
export function fromBase64(text: string): Uint8Array {
  const units = atob(text);
  return Uint8Array.from(units, (unit) => unit.charCodeAt(0));
}
