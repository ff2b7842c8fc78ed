/** Ends a turn in the log that its owner cannot continue, so that the session can be used again. */
import type { OpenCall, SerializedError } from "@capstan/kernel";
import { serializeError } from "@capstan/kernel";
import type { OwnedBody, SessionFold } from "@capstan/log";
import type { SessionErrorCode } from "../errors/session-error.ts";

/** Texts for the model: for calls that never began, and for calls whose outcome is unknown. */
const notRun = "Not run: the turn failed.";
const unknownOutcome =
  "The outcome is unknown: the turn failed while this call was running. Check before you repeat it.";

/** Error of a turn that was ended from outside its loop. */
export function turnFailure(
  code: Extract<SessionErrorCode, "engine_failed" | "resume_limit">,
  message: string,
  thrown?: unknown,
): SerializedError {
  const why = thrown === undefined ? "" : `: ${serializeError(thrown).message}`;
  return { name: "SessionError", code, message: `${message}${why}` };
}

/**
 * Returns the bodies that follow the opening of the turn and end it: every call without a result gets one, so that the transcript stays
 * valid. `fold` must include the opening.
 */
export function endingOf(
  fold: SessionFold,
  turnId: string,
  error: SerializedError,
  now: number,
): OwnedBody[] {
  const { turn, transcript } = fold;
  const isOwn = turn?.turnId === turnId;
  const usage = isOwn ? turn.usage : {};
  const cost = isOwn ? turn.cost : undefined;
  const ended: OwnedBody = {
    type: "turn_ended",
    turnId,
    finishReason: "error",
    usage,
    ...(cost !== undefined && { cost }),
    ...(isOwn && { durationMs: now - turn.startedAt }),
    error,
  };
  const { step } = transcript;
  if (step === undefined || step.isSettled) return [ended];
  const calls = new Map(
    step.message.content.flatMap((part) => (part.type === "tool_call" ? [[part.id, part]] : [])),
  );
  const results = step.toOpen().flatMap((open): OwnedBody[] => {
    const call = calls.get(open.toolCallId);
    if (call === undefined || isRecorded(open)) return [];
    const result = resultOf(open);
    return [
      {
        type: "tool_result",
        turnId,
        step: step.step,
        toolCallId: call.id,
        toolName: call.name,
        result,
      },
    ];
  });
  return [...results, ended];
}

function isRecorded(open: OpenCall): boolean {
  return open.state === "settled" && open.isRecorded === true;
}

/** An answer that was given counts, as it would if the turn had continued. */
function resultOf(open: OpenCall): Extract<OwnedBody, { readonly type: "tool_result" }>["result"] {
  if (open.state === "settled") return open.result;
  const output = open.state === "started" ? unknownOutcome : notRun;
  return { isError: true, output };
}
