/** Ends a turn in the log that its owner cannot continue, so that the session can be used again. */
import type { OpenCall, SerializedError } from "@capstan/kernel";
import { serializeError } from "@capstan/kernel";
import type { NextAction, OwnedBody, SessionFold } from "@capstan/log";
import type { SessionErrorCode } from "../errors/session-error.ts";
import { SessionError } from "../errors/session-error.ts";
import { openingOf } from "./opening-entries.ts";
import type { OwnedLog } from "./owned-append.ts";
import { appendOwned } from "./owned-append.ts";

/** Text for the model, for calls that never began. */
function notRun(how: string): string {
  return `Not run: the turn ${how}.`;
}

/** Text for the model, for calls whose outcome is unknown. */
function unknownOutcome(how: string): string {
  return `The outcome is unknown: the turn ${how} while this call was running. Check before you repeat it.`;
}

/** Error of a turn that was ended from outside its loop. */
export function turnFailure(
  code: Extract<SessionErrorCode, "engine_failed" | "resume_limit">,
  message: string,
  thrown?: unknown,
): SerializedError {
  const why = thrown === undefined ? "" : `: ${serializeError(thrown).message}`;
  return { name: "SessionError", code, message: `${message}${why}` };
}

/** Error of a turn that was dropped by a caller. */
export function abandonedWith(reason: string): SerializedError {
  const why = reason === "" ? "" : `: ${reason}`;
  return { name: "SessionError", code: "abandoned", message: `The turn was abandoned${why}` };
}

/**
 * Ends the turn of this action, or fails the requested compaction. `isOpened`: this owner has opened the turn. Returns false if there is no
 * turn to end.
 */
export async function endInError(
  owned: OwnedLog,
  action: NextAction,
  error: SerializedError,
  isOpened = false,
): Promise<boolean> {
  const { log, heldLease } = owned;
  if (action.type === "compact") {
    const [turnId = ""] = action.ids;
    const failed = { type: "compaction_failed", turnId, reason: "failed", before: 0 } as const;
    await appendOwned(owned, [{ ...failed, requests: action.ids, error }], {});
    return true;
  }
  if (!("turnId" in action)) throw new SessionError("engine_failed", error.message);
  const opening = isOpened
    ? voidedAttempt(log.fold, action.turnId)
    : [openingOf(action, heldLease.lease.epoch)];
  const head = log.fold.headAtStart(log.now());
  const isUpToDate = action.type !== "resume";
  const isConflict =
    opening.length > 0 && (await appendOwned(owned, opening, { head, isUpToDate })) === "conflict";
  if (isConflict) {
    // An entry posted in the meantime may have to be handled first.
    await log.catchUp();
    return true;
  }
  for (let tries = 0; tries < maxConflicts; tries += 1) {
    const now = log.now();
    const bodies = endingOf(log.fold, action.turnId, error, now);
    const end = log.fold.headAtEnd({ finishReason: "error" }, now);
    const ended = await appendOwned(owned, bodies, { head: end, isUpToDate: true });
    if (ended === "appended") return true;
    await log.catchUp();
  }
  throw new SessionError(
    "engine_failed",
    "The turn cannot end: too many entries are posted at the same time",
  );
}

/** Ends the attempt under way, as a resume would. */
function voidedAttempt({ turn }: SessionFold, turnId: string): OwnedBody[] {
  const underWay = turn?.underWay;
  if (underWay === undefined || underWay.state === "over") return [];
  const { step, attempt } = underWay;
  const ended = { type: "attempt_ended", turnId, step, attempt, outcome: "discarded" } as const;
  const model = underWay.state === "open" ? underWay.model : undefined;
  return [model === undefined ? ended : { ...ended, model }];
}

/** Maximum number of consecutive conflicts with posts while a turn is being ended. */
const maxConflicts = 100;

/**
 * Returns the bodies that follow the opening of the turn and end it: every call without a result gets one, so that the transcript stays
 * valid. `fold` must include the opening.
 */
function endingOf(
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
    const result = resultOf(open, error.code === "abandoned" ? "was abandoned" : "failed");
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
function resultOf(
  open: OpenCall,
  how: string,
): Extract<OwnedBody, { readonly type: "tool_result" }>["result"] {
  if (open.state === "settled") return open.result;
  const output = open.state === "started" ? unknownOutcome(how) : notRun(how);
  return { isError: true, output };
}
