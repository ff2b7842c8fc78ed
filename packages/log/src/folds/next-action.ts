/** Decides what a session does next by itself: one rule for the owner, for a poster, and for the head. */
import type { ChildFold } from "./child-fold.ts";
import type { Child } from "./child-state.ts";
import type { CompactionFold } from "./compaction-fold.ts";
import type { EntryOf } from "../entries/entries.ts";
import type { QueueFold } from "./queue-fold.ts";
import type { TranscriptFold } from "./transcript-fold.ts";
import type { TurnFold } from "./turn-fold.ts";

/** How a turn ended, or is about to end: the entry, or its future content. */
export type TurnEnd = Pick<EntryOf<"turn_ended">, "finishReason" | "pending">;

/** Next work of a session, as its log implies it. */
export type NextAction =
  /** Resumes an unfinished turn. */
  | { readonly type: "resume"; readonly turnId: string }
  /** Starts a turn with the messages of these posted entries. */
  | { readonly type: "start"; readonly turnId: string; readonly input: readonly string[] }
  /** Continues the turn: every pending call has an answer, or no time left; or the turn was cancelled or abandoned. */
  | { readonly type: "continue"; readonly turnId: string; readonly continues: string }
  /** Returns queued items to their senders. */
  | { readonly type: "return"; readonly ids: readonly string[] }
  /** Records what became of child sessions, and stops those that must not work any more. */
  | { readonly type: "attend_children"; readonly children: readonly Child[] }
  /** Compacts the context, as requested. */
  | { readonly type: "compact"; readonly ids: readonly string[] }
  /** Does nothing before `wakeAt`. */
  | { readonly type: "none"; readonly wakeAt?: number };

export interface SessionAtRest {
  readonly queues: QueueFold;
  readonly compactions: CompactionFold;
  readonly turn: TurnFold | undefined;
  readonly transcript: TranscriptFold;
  readonly children: ChildFold;
}

/** Action of a session in which no turn runs; `end` is how the last one ended, or is about to end. */
export function actionAtRest(
  session: SessionAtRest,
  end: TurnEnd | undefined,
  now: number,
): NextAction {
  const action = actionOfTurns(session, end, now);
  const { waiting } = session.compactions;
  // A turn that is about to start or continue compacts before its first request.
  if (action.type !== "none" || waiting.length === 0) return action;
  return { type: "compact", ids: waiting.map(({ id }) => id) };
}

function actionOfTurns(
  { queues, turn, transcript, children }: SessionAtRest,
  end: TurnEnd | undefined,
  now: number,
): NextAction {
  const due = children.due(now);
  if (due.length > 0) return { type: "attend_children", children: due };
  const returning = queues.returning();
  if (returning.length > 0) return { type: "return", ids: returning.map((item) => item.id) };
  if (end?.pending !== undefined && turn !== undefined) {
    const wakeAt = turn.isStopped ? now : (transcript.step?.continuesAt(now) ?? now);
    if (wakeAt <= now) return { type: "continue", turnId: turn.nextId(), continues: turn.turnId };
    return noneUntil(Math.min(wakeAt, children.deadlineAt));
  }
  // Items that are queued when a turn is about to be aborted are held from then on.
  const isAboutToHalt = end !== undefined && end !== turn?.end && isHalted(end);
  const items = isAboutToHalt ? [] : queues.nextTurn();
  const [first] = items;
  if (first === undefined) return noneUntil(children.deadlineAt);
  return { type: "start", turnId: first.id, input: items.map((item) => item.id) };
}

function noneUntil(wakeAt: number): NextAction {
  return wakeAt === Infinity ? { type: "none" } : { type: "none", wakeAt };
}

/** True if items queued for the turn wait for the user. */
export function isHalted({ finishReason }: TurnEnd): boolean {
  return finishReason === "aborted" || finishReason === "error";
}
