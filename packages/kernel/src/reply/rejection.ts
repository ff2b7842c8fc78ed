/** Verdicts of guards, and the errors they become. */
import { wrongValue } from "../effects/callbacks.ts";
import type { SerializedError } from "../contracts/conversation.ts";
import type { Rejection } from "../contracts/guards.ts";
import { TurnError, serializeError } from "../errors/errors.ts";

/** Untyped code may return anything. */
export function toRejection(verdict: unknown): Rejection | undefined {
  if (verdict === undefined || verdict === null) return undefined;
  if (typeof verdict === "object" && "reason" in verdict && typeof verdict.reason === "string") {
    return verdict as Rejection;
  }
  throw wrongValue("A guard", verdict, "a rejection with a reason, or nothing");
}

export function rejectionError(
  code: "input_rejected" | "output_rejected",
  { reason, guard }: Rejection,
): SerializedError {
  const error = serializeError(new TurnError(code, reason));
  return guard === undefined ? error : { ...error, guard };
}
