/** Encodes bytes as base64 without Node APIs. */

/** Bytes per call: functions accept a limited number of arguments. */
const pieceLength = 0x8000;

export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += pieceLength) {
    binary += String.fromCharCode(...bytes.subarray(at, at + pieceLength));
  }
  return btoa(binary);
}
