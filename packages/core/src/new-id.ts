/** Ids of sessions, turns and posted entries: short, as the ids of tool calls begin with them and go into every request. */

const alphabet = "0123456789abcdefghijklmnopqrstuv";

/** 80 bits of chance in 16 characters. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  // 32 letters, so five bits of each byte choose one without a bias.
  return Array.from(bytes, (byte) => alphabet.charAt(byte & 31)).join("");
}
