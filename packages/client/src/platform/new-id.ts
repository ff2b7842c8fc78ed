/** Ids that nobody else has. */

/** 26 letters and digits. `crypto.randomUUID` is there in secure contexts only. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(26));
  return Array.from(bytes, (byte) => (byte % 32).toString(32)).join("");
}
