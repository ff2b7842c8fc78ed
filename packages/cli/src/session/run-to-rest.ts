/** Runs turn after turn until nothing is left to do: settles pending calls, and continues unfinished todos. */
import type { Session } from "@capstan/core";
import type { ChatMessage, Turn, TurnResponse, Usage } from "@capstan/kernel";
import type { SessionEvent } from "@capstan/log";
import { addUsage } from "@capstan/kernel";
import type { CallToDecide, Decision } from "../permissions/permissions.ts";
import type { Note } from "../print/notes.ts";
import { serverQuestionOf } from "./forms.ts";
import { isQuestion, TodoReminders } from "./go-on-with-todos.ts";
import type { TellRefusal } from "./settle-calls.ts";
import { settleCall } from "./settle-calls.ts";

export interface RunOptions {
  readonly session: Session;
  readonly decide: (call: CallToDecide, sessionId: string) => Decision;
  readonly note: Note;
  readonly tellRefusal: TellRefusal;
  readonly signal: AbortSignal;
  /** How often unfinished todos continue a turn. */
  readonly maxContinuations: number;
  /** US dollars: above this, no turn continues automatically. */
  readonly maxCost: number | undefined;
}

/** Returns the response of the last turn, with the messages, usage and cost of all turns. */
export async function runToRest(
  first: Turn<unknown, SessionEvent>,
  options: RunOptions,
): Promise<TurnResponse> {
  const reminders = new TodoReminders(options.maxContinuations);
  const messages: ChatMessage[] = [];
  let usage: Usage = {};
  let cost: number | undefined;
  for (let turn: Turn<unknown, SessionEvent> = first; ;) {
    const response = await turn.response;
    messages.push(...response.messages);
    usage = addUsage(usage, response.usage);
    if (response.cost !== undefined) cost = (cost ?? 0) + response.cost;
    const all: TurnResponse = { ...response, messages, usage, ...(cost !== undefined && { cost }) };
    const next = options.signal.aborted ? undefined : nextTurn(all, reminders, options);
    if (next === undefined) return all;
    turn = next;
  }
}

/** Answers the pending calls of the session: questions of MCP servers only to cancel them, as only a user can answer. */
export function settlePending(
  options: RunOptions,
  isCancelling = false,
): Turn<unknown, SessionEvent> {
  const { session, decide, tellRefusal } = options;
  const decideHere = (call: CallToDecide): Decision => decide(call, session.id);
  return session.send(
    session.pendingToolCalls
      .filter((call) => isCancelling || serverQuestionOf(call) === undefined)
      .map((call) => settleCall(call, decideHere, tellRefusal)),
  );
}

/** True if all that waits are questions of MCP servers. */
export function isForUser({ pendingToolCalls }: Session): boolean {
  return (
    pendingToolCalls.length > 0 &&
    pendingToolCalls.every((call) => serverQuestionOf(call) !== undefined)
  );
}

export function tellQuestions({ session, note }: RunOptions): undefined {
  for (const call of session.pendingToolCalls) {
    const { server = "", message = "" } = serverQuestionOf(call) ?? {};
    note(`the MCP server ${server} asks: ${message}`);
  }
  note("answer in a terminal with: capstan --continue");
}

function nextTurn(
  { status, finishReason, messages, text, cost }: TurnResponse,
  reminders: TodoReminders,
  options: RunOptions,
): Turn<unknown, SessionEvent> | undefined {
  const { session, note, maxCost } = options;
  if (status === "awaiting_tool_execution") {
    // Another process may have answered already.
    if (session.pendingToolCalls.length === 0) return session.current;
    return isForUser(session) ? tellQuestions(options) : settlePending(options);
  }
  if (status !== "completed" || finishReason !== "stop") return undefined;
  if (maxCost !== undefined && (cost ?? 0) >= maxCost) return undefined;
  // Only the user can answer it.
  if (isQuestion(text)) return undefined;
  const reminder = reminders.next(messages);
  if (reminder === undefined) return undefined;
  note("todos are left: continuing with them");
  return session.send(reminder, { metadata: { writtenBy: "capstan" } });
}
