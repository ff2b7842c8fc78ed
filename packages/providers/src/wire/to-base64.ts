/** Base64 of bytes, without what only Node has. */

/** Bytes that one call takes: more arguments than that are too many for a function. */
const pieceLength = 0x8000;

export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += pieceLength) {
    binary += String.fromCharCode(...bytes.subarray(at, at + pieceLength));
  }
  return btoa(binary);
}
