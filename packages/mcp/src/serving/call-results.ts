/** Results of a call, as the protocol has them. */
import type { PendingCall, Session, TurnResponse } from "@capstan/core";
import type { JsonValue } from "@capstan/kernel";
import { describeCall } from "./pending-questions.ts";
import { ServingError } from "./serving-error.ts";

export type WireResult = Record<string, unknown>;

/** Fields of a result's `_meta`. */
const sessionField = "capstan/session";
const turnField = "capstan/turn";

/** Codes of errors that are the host's and not the agent's. */
const hostFailures = new Set(["engine_failed", "resume_limit", "set_aside", "abandoned"]);

/** The answer, or an error result. Throws `internal` if the host could not run the turn. */
export function toResult(
  { id: sessionId }: Session,
  turnId: string,
  response: TurnResponse,
  hasDetails: boolean,
): WireResult {
  const { status, text, error, finishReason, hasAnswer } = response;
  if (error?.code !== undefined && hostFailures.has(error.code)) {
    throw new ServingError("internal", `The turn could not continue (${error.code})`);
  }
  const about = { _meta: { [sessionField]: sessionId, [turnField]: turnId } };
  if (status === "completed" && hasAnswer) {
    const { output } = response as { readonly output?: JsonValue };
    const structured = output === undefined ? {} : { structuredContent: output };
    return { content: [textPart(text), sessionPart(sessionId)], ...structured, ...about };
  }
  const why = hasDetails && error !== undefined ? `: ${error.message}` : "";
  const said = text === "" ? "" : `\n${text}`;
  const reason = error?.code ?? finishReason;
  const message = `The agent gave no answer (${status}, ${reason})${why}${said}`;
  return { isError: true, content: [textPart(message), sessionPart(sessionId)], ...about };
}

/** For a client that cannot ask its user. */
export function toWaitingResult(
  { id: sessionId }: Session,
  turnId: string,
  calls: readonly PendingCall[],
): WireResult {
  const text = [
    "The agent waits for an answer, and this client cannot ask its user (elicitation).",
    ...calls.map(describeCall),
    "Answer where the session can be opened otherwise, and call this tool again with `session` alone to get the result. A new `prompt` with `session` refuses what waits and goes on.",
  ].join("\n\n");
  return {
    isError: true,
    content: [textPart(text), sessionPart(sessionId)],
    _meta: { [sessionField]: sessionId, [turnField]: turnId },
  };
}

function textPart(text: string): WireResult {
  return { type: "text", text };
}

/** Models see the content and seldom anything else. */
function sessionPart(sessionId: string): WireResult {
  return { type: "text", text: `session: ${sessionId}`, annotations: { audience: ["assistant"] } };
}
