/** Detects a turn that was refused before it began. */
import type { SessionErrorCode } from "@capstan/core";
import { SessionError } from "@capstan/core";
import type { Turn } from "@capstan/kernel";
import type { SessionEvent } from "@capstan/log";

/** Call it once the input is in the log or was refused. */
async function refusalIn(turn: Turn<unknown, SessionEvent>): Promise<SessionError | undefined> {
  // A settled response wins the race.
  const response = await Promise.race([turn.response, Promise.resolve(undefined)]);
  const error = response?.error;
  if (error?.name !== "SessionError" || error.code === undefined) return undefined;
  // The name states which class the code belongs to.
  return new SessionError(error.code as SessionErrorCode, error.message);
}

/** Throws the refusal, if there is one. Call it like `refusalIn`. */
export async function failIfRefused(turn: Turn<unknown, SessionEvent>): Promise<void> {
  const refusal = await refusalIn(turn);
  if (refusal !== undefined) throw refusal;
}
