/** Brings the requests of a session to the machine whose cache has their beginning. */
import { hashJson } from "@capstan/kernel";

const maxLength = 64;

/** The same for every request of a session. */
export function toCacheKey(sessionId: string): string {
  return sessionId.length <= maxLength ? sessionId : hashJson(sessionId);
}
