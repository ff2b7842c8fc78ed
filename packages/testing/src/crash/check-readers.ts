/** Checks that every reader saw each event of an entry once, in order, as logged; and that live events match. */
import type { SessionEvent } from "@capstan/log";
import { LiveView } from "@capstan/kernel";
import { compareCursors, formatCursor, isLiveOnly } from "@capstan/log";
import { isDeepStrictEqual } from "node:util";
import { checkEvents } from "../checkers/check-events.ts";
import type { Reader, SeenEvent } from "./reader.ts";
import { textOf } from "./scripted-model.ts";
import type { WatchedSession } from "./watched-session.ts";
import type { World } from "./world.ts";

export function checkReaders(world: World, readers: readonly Reader[]): void {
  for (const reader of readers) {
    for (const reading of readingsOf(world, reader)) {
      checkOrder(world, reading);
      checkFacts(world, reading);
      checkLive(world, reading);
      checkWholeTurns(world, reading);
    }
  }
}

/** Events of one session, as a reader saw them. */
interface Reading extends Pick<Reader, "name" | "seen" | "first"> {
  readonly session: WatchedSession;
}

function readingsOf(world: World, { name, seen, first }: Reader): readonly Reading[] {
  const { main, replaced } = world;
  const sessions = [...replaced.filter(({ id }) => id === main.id), main];
  return sessions.map((session) => {
    const own = seen.filter(({ incarnation }) => incarnation === session.incarnation);
    return { name, seen: own, first: session.age === 1 ? first : "replayed", session };
  });
}

function checkOrder({ violations }: World, { name, seen }: Reading): void {
  for (const [index, { cursor, event }] of seen.entries()) {
    const before = seen[index - 1]?.cursor;
    if (before === undefined || compareCursors(before, cursor) < 0) continue;
    // A snapshot replaces all live events after an entry, even if a host knows less of them than the previous one.
    if (event.type === "snapshot" && before.seq === cursor.seq) continue;
    const text = `${event.type} at ${formatCursor(cursor)} came after ${formatCursor(before)}`;
    violations.add("events", `reader ${name}: ${text}`);
  }
}

function checkFacts({ violations }: World, { name, seen, session }: Reading): void {
  const { events, isOver } = session;
  const facts = seen.filter(({ event }) => !isLiveOnly(event));
  for (let index = 0; index < Math.max(facts.length, isOver ? 0 : events.length); index += 1) {
    const [found, expected] = [facts[index], events[index]];
    if (found !== undefined && expected !== undefined) {
      const isSame =
        compareCursors(found.cursor, expected.cursor) === 0 &&
        isDeepStrictEqual(found.event, expected.event);
      if (isSame) continue;
    }
    const text = `event ${index + 1} is ${describe(found)}, but the log has ${describe(expected)}`;
    violations.add("events", `reader ${name}: ${text}`);
    return;
  }
}

/** The deltas of a message must match the message. The last ones may be lost on the way to another process. */
function checkLive({ violations }: World, { name, seen }: Reading): void {
  const view = new LiveView();
  for (const { event, cursor } of seen) {
    if (event.type === "message_end" && event.message.role === "assistant") {
      const shown = shownText(view);
      const said = proseOf(event);
      if (!said.startsWith(shown)) {
        const text = `the deltas up to ${formatCursor(cursor)} are "${shown}", the message is "${said}"`;
        violations.add("events", `reader ${name}: ${text}`);
      }
    }
    view.apply(event);
  }
}

function shownText(view: LiveView): string {
  const parts = view.snapshot().message?.content ?? [];
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

function proseOf(event: Extract<SessionEvent, { readonly type: "message_end" }>): string {
  const { message } = event;
  if (message.role !== "assistant") return "";
  return message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** Checks turns seen live from start to end: on one connection, live before the turn, with a single owner. */
function checkWholeTurns(world: World, { name, seen, first, session }: Reading): void {
  const live = new Set<number>(first === "live" ? [1] : []);
  const whole = new Map<string, SessionEvent[]>();
  for (const [index, { event, connection, process }] of seen.entries()) {
    const { type, turnId } = event;
    if (connection !== seen[index - 1]?.connection) whole.delete(turnId);
    if (type === "turn_start" && live.has(connection) && isOwnedBy(session, turnId, process)) {
      whole.set(turnId, []);
    }
    if (isLiveDelta(type)) live.add(connection);
    // Queued messages may be returned at rest: by then the turn that they name has ended.
    if (type !== "steering_returned") whole.get(turnId)?.push(event);
  }
  for (const [turnId, events] of session.isOver ? [] : whole) {
    for (const { message } of checkEvents(events)) {
      world.violations.add("events", `reader ${name}, turn ${turnId}: ${message}`);
    }
  }
}

/** Never in a replay: a reader that gets it is live. */
function isLiveDelta(type: SessionEvent["type"]): boolean {
  return type === "text_delta" || type === "tool_execution_delta";
}

/** True if this process has written the whole turn, and is alive: readers elsewhere get only part of the live events. */
function isOwnedBy({ entries, leases }: WatchedSession, turnId: string, process: string): boolean {
  const own = entries
    .filter((entry) => "turnId" in entry && entry.turnId === turnId)
    .flatMap(({ id }) => leases.get(id) ?? []);
  return own.every(({ owner, epoch }) => owner === process && epoch === own[0]?.epoch);
}

function describe(seen: Pick<SeenEvent, "cursor" | "event"> | undefined): string {
  if (seen === undefined) return "missing";
  const { event, cursor } = seen;
  const text = event.type === "message_end" ? ` "${textOf(event.message)}"` : "";
  return `${event.type}${text} at ${formatCursor(cursor)}`;
}
