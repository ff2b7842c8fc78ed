/** Whether a turn was refused before it began. */
import type { SessionErrorCode } from "@capstan/core";
import { SessionError } from "@capstan/core";
import type { Turn } from "@capstan/kernel";

/** To be asked when what was sent is in the log, or was refused. */
export async function refusalIn(turn: Turn): Promise<SessionError | undefined> {
  // What has settled comes first.
  const response = await Promise.race([turn.response, Promise.resolve(undefined)]);
  const error = response?.error;
  if (error?.name !== "SessionError" || error.code === undefined) return undefined;
  // The name says whose code it is.
  return new SessionError(error.code as SessionErrorCode, error.message);
}
