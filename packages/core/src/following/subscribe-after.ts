/** A subscriber that has seen events before: it first gets the events after its cursor from the log. */
import { background } from "@capstan/kernel";
import type { Cursor, EventListener, PlacedEvent } from "@capstan/log";
import { isRepositoryError } from "@capstan/log";
import type { Clock } from "../platform/clock.ts";
import { idleTimerOf } from "../platform/clock.ts";
import { onlyBehind } from "./only-behind.ts";
import { tellEnd } from "./readers.ts";
import { replay } from "./replay.ts";
import type { ShownCalls } from "@capstan/log";
import { SessionError, toSessionError } from "../errors/session-error.ts";
import type { SessionRuntime } from "../host/session-runtime.ts";

/** Delay before a failed store is asked again. */
const retryMs = 1_000;

/** Options of `session.subscribe`: where to begin, what to include, and how the end is reported. */
export interface SubscribeFrom {
  /** Delivers the events of child sessions, too, at any depth. Default false. */
  readonly tree?: boolean;
  /**
   * Events after this cursor are delivered first, from the log; as text, it may be the composite cursor of a tree. Of a tree without one, or after
   * the cursor of the session alone, the children that were at work then are delivered from the beginning of their work.
   */
  readonly after?: Cursor | string;
  /** Called once if no more events can come: the session was deleted, or its log cannot be read. */
  readonly onEnd?: (why: SessionError) => void;
  /**
   * Called after each page of events from the log. A promise delays the next page, so that a slow subscriber does not get a long log at
   * once.
   */
  readonly ready?: () => Promise<void> | undefined;
}

export interface SubscribeAfter extends Omit<SubscribeFrom, "after" | "tree"> {
  readonly after: Cursor;
  /** Undefined for a session below the one that has a handle. */
  readonly shown: ShownCalls | undefined;
  /** Called before the first event, when everything stored is folded; again after a failure of the store. */
  begin?(): void;
  /** Called when the subscriber has everything that was stored, and gets events as they happen. */
  joined?(): void;
}

/** Returns a function that unsubscribes. */
export function subscribeAfter(
  listener: EventListener,
  { after, onEnd, ready, shown, begin: onBegin, joined }: SubscribeAfter,
  runtime: SessionRuntime,
  clock: Clock,
): () => void {
  const subscription = { isOver: false, stop: (): void => {} };
  const deliver = onlyBehind(listener, after);
  const show = (events: readonly PlacedEvent[]): void => {
    for (const { event, cursor } of events) {
      if (subscription.isOver) return;
      shown?.noteEvent(event);
      deliver(event, cursor);
    }
  };
  const join = (): void => {
    if (subscription.isOver) return;
    subscription.stop = runtime.readers.add(deliver, shown, onEnd);
    joined?.();
  };
  const hasLeft = (): boolean => subscription.isOver;
  const reader = {
    show,
    join,
    hasLeft,
    ...(ready && { ready }),
    ...(onBegin && { begin: onBegin }),
  };
  // Retries while the store is unavailable, so that the subscriber misses nothing. Other failures would happen again.
  const begin = (): void =>
    background(replay(runtime, after, reader), (thrown) => {
      if (subscription.isOver) return;
      const isPassing =
        !runtime.isGone && isRepositoryError(thrown) && thrown.code === "unavailable";
      if (isPassing) idleTimerOf(clock)(retryMs, begin);
      else tellEnd(onEnd, toEnd(runtime.id, thrown));
    });
  begin();
  return () => {
    subscription.isOver = true;
    subscription.stop();
  };
}

function toEnd(sessionId: string, thrown: unknown): SessionError {
  const error = toSessionError(sessionId, thrown);
  if (error instanceof SessionError) return error;
  const message = `Cannot read the log of session ${sessionId}: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
  return new SessionError("unavailable", message, { cause: thrown, sessionId });
}
