/** Rules for the turn as a whole: one start, one end, one turn, JSON only. */
import type { AgentEvent, ConversationIds, EventIds } from "@capstan/kernel";
import type { SessionIds } from "@capstan/log";
import { EventProblems } from "./event-problem.ts";
import type { EventProblem } from "./event-problem.ts";
import { findNonJson } from "./find-non-json.ts";

export function checkFrame(
  events: readonly AgentEvent<EventIds>[],
  isResumed: boolean,
): EventProblem[] {
  const problems = new EventProblems();
  checkStart(events, isResumed, problems);
  checkEnd(events, problems);
  const [first] = events;
  for (const [index, event] of events.entries()) {
    if (first !== undefined && idsOf(event) !== idsOf(first)) {
      const text = `it belongs to turn ${idsOf(event)}, the first event to another`;
      problems.add(index, event, "foreign-ids", text);
    }
    for (const { path, what } of findNonJson(event)) {
      problems.add(index, event, "not-json", `${path} is ${what}`);
    }
  }
  return problems.found;
}

/** Ids of an event of the kernel or of a session. */
function idsOf(ids: EventIds & Partial<ConversationIds & SessionIds>): string {
  return `${ids.sessionId ?? ids.conversationId}/${ids.turnId}`;
}

function checkStart(
  events: readonly AgentEvent<EventIds>[],
  isResumed: boolean,
  problems: EventProblems,
): void {
  for (const [index, event] of events.entries()) {
    const mayStart = index === 0 && !isResumed;
    if (mayStart && event.type !== "turn_start") {
      problems.add(index, event, "turn-start", "a turn begins with turn_start");
    }
    if (!mayStart && event.type === "turn_start") {
      const text = isResumed ? "a resumed turn has no second one" : "it is not the first event";
      problems.add(index, event, "turn-start", text);
    }
    if (event.type === "turn_start") checkInput(events, index, event.input, problems);
  }
}

/** The messages that start a turn must follow at once, in order. */
function checkInput(
  events: readonly AgentEvent<EventIds>[],
  at: number,
  input: readonly string[],
  problems: EventProblems,
): void {
  const announced = events
    .slice(at + 1, at + 1 + 2 * input.length)
    .flatMap((event) => (event.type === "message_end" ? [event.message.id] : []));
  const event = events[at];
  if (event === undefined || announced.join("\n") === input.join("\n")) return;
  const text = `its input is [${input.join(", ")}], the messages that follow are [${announced.join(", ")}]`;
  problems.add(at, event, "input", text);
}

function checkEnd(events: readonly AgentEvent<EventIds>[], problems: EventProblems): void {
  const end = events.findIndex((event) => event.type === "turn_end");
  const last = events.at(-1);
  if (last === undefined) return;
  if (end === -1) {
    // Without a journal nothing may be shown as done: an error event replaces the end of the turn.
    if (last.type === "error" && last.error.code === "journal_failed") return;
    problems.add(events.length - 1, last, "turn-end", "the turn has no turn_end");
    return;
  }
  for (const [index, event] of events.entries()) {
    if (index <= end || event.type === "settled") continue;
    problems.add(index, event, "turn-end", `it comes after turn_end, which is event [${end}]`);
  }
}
