/** For sessions that begin as a copy: 64 bits of chance, in the length that the ids of new sessions have. */
export function newSessionId(): string {
  return crypto.randomUUID().replaceAll("-", "").slice(-16);
}
