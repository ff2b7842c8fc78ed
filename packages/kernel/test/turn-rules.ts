/** Rules that hold for every turn, whatever happened to it. Each rule describes the violation. */
import type { AgentEvent, ChatMessage, Fact, OpenCall, Usage } from "@capstan/kernel";
import { checkEvents, checkTranscript } from "@capstan/testing";
import type { Happening, ObservedTurn } from "./circumstances.ts";
import { rebuild } from "./rebuild.ts";

export function faultsOf(turn: ObservedTurn): string[] {
  const allowOpenTail = turn.pending !== undefined;
  return [
    ...checkTranscript(turn.transcript, { allowOpenTail }).map((problem) => problem.message),
    ...checkEvents(turn.events, { isResumed: turn.entered !== undefined }).map(
      (problem) => problem.message,
    ),
    ...runsThatShouldNotBe(turn),
    ...runsAfterAbort(turn),
    ...startedFaults(turn),
    ...messagesThatShouldNotBe(turn),
    ...awaitedInVain(turn),
    ...(turn.hasJournal ? [...shownTooEarly(turn), ...journalFaults(turn)] : []),
  ];
}

/** Each call runs at most once, and never if it was refused, skipped, cut off, or still waits. */
function runsThatShouldNotBe(turn: ObservedTurn): string[] {
  const runs = turn.happenings.flatMap((happening) =>
    happening.type === "run" ? [happening.toolCallId] : [],
  );
  const forbidden = new Set([
    ...turn.messages.flatMap(refusedCalls),
    ...(turn.pending ?? []).map((call) => call.toolCallId),
  ]);
  return [
    ...runs.filter((id, at) => runs.indexOf(id) !== at).map((id) => `${id} ran twice`),
    ...runs.filter((id) => forbidden.has(id)).map((id) => `${id} ran, but should not have`),
  ];
}

const isRefusal = /^(Not run|Skipped|Denied|Unknown tool)/;
const brokenOff: readonly string[] = ["length", "content-filter", "error", "aborted"];

function refusedCalls(message: ChatMessage): string[] {
  if (message.role === "tool") {
    const isRefused = typeof message.content === "string" && isRefusal.test(message.content);
    return isRefused ? [message.toolCallId] : [];
  }
  if (message.role !== "assistant" || !brokenOff.includes(message.stopReason)) return [];
  return message.content.flatMap((part) => (part.type === "tool_call" ? [part.id] : []));
}

function runsAfterAbort({ happenings }: ObservedTurn): string[] {
  const at = happenings.findIndex((happening) => happening.type === "abort");
  return happenings
    .filter((happening, index) => at !== -1 && index > at && happening.type === "run")
    .map(() => "a tool was called after the abort");
}

/** A partial reply has no unsigned thinking; steering is delivered only after results. */
function messagesThatShouldNotBe({ messages }: ObservedTurn): string[] {
  return messages.flatMap((message, at) => {
    const before = messages[at - 1];
    const isBehindResults = before?.role === "tool" || (before !== undefined && isSteering(before));
    const isMisplaced = isSteering(message) && !isBehindResults;
    return [
      ...(isMisplaced ? [`${message.id} was not delivered after results`] : []),
      ...(hasUnsignedThinking(message) ? [`${message.id} broke off with unsigned thinking`] : []),
    ];
  });
}

function isSteering(message: ChatMessage): boolean {
  return message.id.startsWith("steer-");
}

function hasUnsignedThinking(message: ChatMessage): boolean {
  if (message.role !== "assistant") return false;
  if (message.stopReason !== "error" && message.stopReason !== "aborted") return false;
  return message.content.some(
    (part) => part.type === "thinking" && part.providerData === undefined,
  );
}

/** A call that had started runs again only if that does no harm, and its result never states that it has not run. */
function startedFaults({ entered = [], happenings, messages }: ObservedTurn): string[] {
  const started = entered.filter((call) => call.state === "started").map((call) => call.toolCallId);
  const isStarted = (id: string): boolean => started.includes(id);
  return [
    ...happenings
      .filter((happening) => happening.type === "run")
      .filter((run) => isStarted(run.toolCallId) && !run.mayRepeat)
      .map((run) => `${run.toolCallId} had started before, and ran again`),
    ...messages
      .filter((message) => isStarted(message.id) && refusedCalls(message).length > 0)
      .map((message) => `${message.id} had started before, and is said not to have run`),
  ];
}

/** A call that the kernel itself refuses never becomes pending. */
function awaitedInVain({ events, messages }: ObservedTurn): string[] {
  const refused = new Set(messages.filter(isRefusedUnseen).map((message) => message.id));
  return events
    .flatMap((event) => (event.type === "awaiting_tool_execution" ? event.pending : []))
    .filter((call) => refused.has(call.toolCallId))
    .map((call) => `${call.toolCallId} was awaited, but had to be refused`);
}

function isRefusedUnseen(message: ChatMessage): boolean {
  if (message.role !== "tool" || typeof message.content !== "string") return false;
  return /^Not run: (the reply|no tools)/.test(message.content);
}

/** Events and effects are recorded before they are shown or happen. */
function shownTooEarly({ happenings, entered = [] }: ObservedTurn): string[] {
  const recorded = new Set(entered.flatMap(recordedBefore));
  const faults: string[] = [];
  for (const happening of happenings) {
    if (happening.type === "fact") for (const key of recordedBy(happening.fact)) recorded.add(key);
    for (const key of neededBy(happening)) {
      if (!recorded.has(key)) faults.push(`${key} was not recorded before it was shown or done`);
    }
  }
  return faults;
}

function recordedBefore(call: OpenCall): string[] {
  if (call.state === "started") return [`intent ${call.toolCallId}`];
  return call.state === "settled" && call.isRecorded === true ? [`result ${call.toolCallId}`] : [];
}

/** A rejected attempt is shown as a discarded one. */
function shownAs(outcome: string): string {
  return outcome === "rejected" ? "discarded" : outcome;
}

function recordedBy(fact: Fact): string[] {
  switch (fact.type) {
    case "attempt":
      return [`attempt ${fact.step}.${fact.attempt}`];
    case "attempt_ended":
      return [`${shownAs(fact.outcome)} attempt ${fact.step}.${fact.attempt}`];
    case "message":
      return [`message ${fact.message.id}`];
    case "pending":
      return fact.pending.map(pendingKey);
    case "suspended":
      return [`suspension ${fact.toolCallId}`, ...fact.pending.map(pendingKey)];
    case "step_prepared":
      return (fact.messages ?? []).map(({ id }) => `message ${id}`);
    case "input_rejected":
      return ["rejected input"];
    case "tool_intent":
      return [`intent ${fact.toolCallId}`];
    case "tool_result":
      return [`result ${fact.toolCallId}`];
    case "nested_intent":
      return [`intent ${fact.toolCallId}`];
    case "nested_result":
      return [`nested result ${fact.toolCallId}`];
    case "steering_delivered":
      return ["steering", ...fact.messages.map(({ id }) => `message ${id}`)];
    case "turn_ended":
      return ["end"];
    default:
      return fact satisfies never;
  }
}

function neededBy(happening: Happening): string[] {
  if (happening.type === "run") return happening.isPure ? [] : [`intent ${happening.toolCallId}`];
  return happening.type === "event" ? neededToShow(happening.event) : [];
}

function neededToShow(event: AgentEvent): string[] {
  switch (event.type) {
    case "attempt_start":
      return [`attempt ${event.step}.${event.attempt}`];
    case "attempt_discarded":
      return [`discarded attempt ${event.step}.${event.attempt}`];
    case "message_end":
      return [`${event.message.role === "tool" ? "result" : "message"} ${event.message.id}`];
    case "tool_execution_end":
      return [`result ${event.toolCallId}`];
    case "nested_call_end":
      return [`nested result ${event.toolCallId}`];
    case "awaiting_tool_execution":
      return event.pending.map(pendingKey);
    case "steering_delivered":
      return ["steering"];
    case "turn_end":
      return ["end"];
    default:
      return [];
  }
}

function pendingKey({ toolCallId }: { readonly toolCallId: string }): string {
  return `pending ${toolCallId}`;
}

/** The journal says what the result says; when it has failed, nothing more happens. */
function journalFaults(turn: ObservedTurn): string[] {
  const { happenings } = turn;
  const facts = happenings.flatMap((happening) =>
    happening.type === "fact" ? [happening.fact] : [],
  );
  if (happenings.some((happening) => happening.type === "overlap")) {
    return ["the journal was called twice at once"];
  }
  if (turn.error?.code === "journal_failed") {
    const failed = happenings.findLastIndex((happening) => isFailure(happening));
    const later = happenings.slice(failed + 1).map((happening) => happening.type);
    const effects = later.filter(
      (type) => type === "event" || type === "run" || type === "journal",
    );
    return effects.map((type) => `there was another ${type} after the journal had failed`);
  }
  return [
    ...unequal("turn_ended", 1, facts.filter((fact) => fact.type === "turn_ended").length),
    ...unequal("usage", totalOf(facts), countsOf(turn.usage)),
    // The facts of a turn that was entered begin in the middle of a step.
    ...(turn.entered ? [] : unequal("messages", rebuild(facts).messages, turn.messages)),
  ];
}

function isFailure(happening: Happening): boolean {
  if (happening.type !== "event" || happening.event.type !== "error") return false;
  return happening.event.error.code === "journal_failed";
}

function unequal(what: string, recorded: unknown, given: unknown): string[] {
  const [left, right] = [JSON.stringify(recorded), JSON.stringify(given)];
  return left === right ? [] : [`${what}: the facts say ${left}, the result says ${right}`];
}

type Counts = readonly [input: number, output: number, unreported: number];

function totalOf(facts: readonly Fact[]): Counts {
  let total: Counts = [0, 0, 0];
  for (const fact of facts) {
    if (fact.type === "attempt_ended") total = plus(total, fact.usage ?? { unreportedAttempts: 1 });
    if (fact.type === "tool_result") total = plus(total, fact.usage ?? {});
  }
  return total;
}

function plus([input, output, unreported]: Counts, usage: Usage): Counts {
  const more = countsOf(usage);
  return [input + more[0], output + more[1], unreported + more[2]];
}

function countsOf(usage: Usage): Counts {
  return [usage.inputTokens ?? 0, usage.outputTokens ?? 0, usage.unreportedAttempts ?? 0];
}
