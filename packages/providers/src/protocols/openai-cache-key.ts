/** Cache key that routes the requests of a session to the machine that has cached their beginning. */
import { hashJson } from "@capstan/kernel";

const maxLength = 64;

/** Returns the same key for every request of a session. */
export function toCacheKey(sessionId: string): string {
  return sessionId.length <= maxLength ? sessionId : hashJson(sessionId);
}
