/** Nothing that the client was told is lost, and what was taken took effect, once. */
import type { ChatMessage, TurnResponse } from "@capstan/kernel";
import type { EntryOf } from "@capstan/log";
import { isDeepStrictEqual } from "node:util";
import type { Acknowledgement } from "./acknowledgements.ts";
import type { World } from "./world.ts";

export function checkAcknowledged(world: World): void {
  for (const acknowledgement of world.acknowledged.all) checkOne(world, acknowledgement);
  for (const entry of world.entries) {
    if (entry.type === "steer" || entry.type === "follow_up") checkQueued(world, entry);
    if (entry.type === "cancel_requested") checkCancel(world, entry);
    if (entry.type === "input") checkInput(world, entry);
    if (entry.type === "answer") checkAnswer(world, entry);
  }
}

function checkOne(world: World, acknowledgement: Acknowledgement): void {
  const { entries, violations, fold } = world;
  const { type } = acknowledgement;
  switch (type) {
    case "posted": {
      const { id } = acknowledgement;
      const count = entries.filter((entry) => entry.id === id).length;
      if (count !== 1) {
        violations.add("acknowledged", `${id} was taken, and is in the log ${count} times`);
      }
      return;
    }
    case "response":
      return checkResponse(world, acknowledgement.turnId, acknowledgement.response);
    case "answered": {
      const { toolCallId } = acknowledgement;
      const isThere = entries.some(
        (entry) =>
          (entry.type === "answer" || entry.type === "decision") && entry.toolCallId === toolCallId,
      );
      if (!isThere) {
        violations.add("acknowledged", `the answer to ${toolCallId} was taken, and is not there`);
      }
      return;
    }
    case "aborted": {
      const { turnId } = acknowledgement;
      const isThere = entries.some(
        (entry) => entry.type === "cancel_requested" && rootOf(world, entry.turnId) === turnId,
      );
      if (!isThere) {
        violations.add("acknowledged", `the abort of ${turnId} was taken, and is not there`);
      }
      return;
    }
    case "settled": {
      const { id, outcome } = acknowledgement;
      const found = fold.queues.outcomeOf(id);
      if (isDeepStrictEqual(found, outcome)) return;
      const text = `${id} was said to be ${JSON.stringify(outcome)}, and is ${JSON.stringify(found)}`;
      violations.add("acknowledged", text);
      return;
    }
    case "refused": {
      const { id, code } = acknowledgement;
      const found = fold.refusalOf(id);
      if (found === code) return;
      violations.add("acknowledged", `${id} was refused with ${code}, and the log says ${found}`);
      return;
    }
    default:
      acknowledgement satisfies never;
  }
}

function checkResponse(world: World, turnId: string, response: TurnResponse): void {
  const { entries, events, violations } = world;
  const end = entries.find((entry) => entry.type === "turn_ended" && entry.turnId === turnId);
  const started = entries.find((entry) => entry.type === "turn_started" && entry.turnId === turnId);
  if (end?.type !== "turn_ended" || started?.type !== "turn_started") {
    const text = `turn ${turnId} answered "${response.finishReason}" (${response.error?.message}), and has no end`;
    violations.add("acknowledged", text);
    return;
  }
  const messages: ChatMessage[] = events.flatMap(({ event }) =>
    event.turnId === turnId &&
    event.type === "message_end" &&
    !isInput(event.message, events, turnId)
      ? [event.message]
      : [],
  );
  const found = { finishReason: end.finishReason, usage: end.usage, messages };
  const { finishReason, usage } = response;
  const told = { finishReason, usage, messages: response.messages };
  if (isDeepStrictEqual(found, told)) return;
  const text = `turn ${turnId} answered ${JSON.stringify(told)}, and the log says ${JSON.stringify(found)}`;
  violations.add("response", text);
}

function isInput({ id }: ChatMessage, events: World["events"], turnId: string): boolean {
  return events.some(
    ({ event }) =>
      event.type === "turn_start" && event.turnId === turnId && event.input.includes(id),
  );
}

function checkQueued(
  { fold, violations }: World,
  { id }: EntryOf<"steer"> | EntryOf<"follow_up">,
): void {
  const outcome = fold.queues.outcomeOf(id);
  const count = fold.transcript.messages.filter((message) => message.id === id).length;
  const isHeld = fold.queues.find(id)?.isHeld === true;
  const expected = outcome?.type === "delivered" ? 1 : 0;
  if (count !== expected || (outcome === undefined && !isHeld)) {
    const text = `${id} is ${outcome?.type ?? "queued"}, and ${count} times in the transcript`;
    violations.add("effectless", text);
  }
}

/** A turn that was cancelled ends so, unless it was over; one that failed at that moment may say that instead. */
function checkCancel(world: World, entry: EntryOf<"cancel_requested">): void {
  const { entries, fold, violations } = world;
  if (fold.refusalOf(entry.id) !== undefined) return;
  const root = rootOf(world, entry.turnId);
  const last = entries.findLast(
    (other) => other.type === "turn_ended" && rootOf(world, other.turnId) === root,
  );
  const reason = last?.type === "turn_ended" ? last.finishReason : undefined;
  if (reason === "aborted" || reason === "error") return;
  violations.add("effectless", `${entry.turnId} was cancelled, and ended with ${reason}`);
}

function checkInput({ entries, fold, violations }: World, { id }: EntryOf<"input">): void {
  if (fold.refusalOf(id) !== undefined) return;
  const starts = entries.filter((entry) => entry.type === "turn_started" && entry.turnId === id);
  if (starts.length === 1) return;
  violations.add("effectless", `the input ${id} started ${starts.length} turns`);
}

/** The first answer to a call is its result, unless the turn was stopped or the time was over. */
function checkAnswer({ entries, fold, violations }: World, entry: EntryOf<"answer">): void {
  if (fold.refusalOf(entry.id) !== undefined) return;
  const result = entries.find(
    (other) => other.type === "tool_result" && other.toolCallId === entry.toolCallId,
  );
  const isStopped = entries.some(({ type }) => type === "cancel_requested");
  if (result?.type === "tool_result" && isDeepStrictEqual(result.result, entry.result)) return;
  if (isStopped) return;
  violations.add("effectless", `the answer to ${entry.toolCallId} did not become its result`);
}

/** The first of the turns that continue each other. */
function rootOf(world: World, turnId: string): string {
  const started = world.entries.find(
    (entry) => entry.type === "turn_started" && entry.turnId === turnId,
  );
  const before = started?.type === "turn_started" ? started.continues : undefined;
  return before === undefined ? turnId : rootOf(world, before);
}
