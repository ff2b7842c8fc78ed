/** Frames of the events of a tree, for one reader: only its own position tells what it has of each session. */
import type { Cursor, SessionEvent, TreePosition } from "@capstan/log";
import { isLiveOnly, toTreeJson, toTreeJsonOfTurn } from "@capstan/log";
import { maxCursorChars } from "../guard/limits.ts";
import type { EventFrames } from "./session-frames.ts";

/**
 * Only facts have an id: a reader that resumes after one gets live content as a snapshot anyway, and a delta would be smaller than its id.
 * A frame whose id would be too long has none; readers then skip what they have seen, by its cursor.
 */
export class TreeFrames implements EventFrames {
  readonly #toPublic: (event: SessionEvent) => SessionEvent;

  /** `toPublic` returns the part of an event that clients see. */
  constructor(toPublic: (event: SessionEvent) => SessionEvent) {
    this.#toPublic = toPublic;
  }

  frame(event: SessionEvent, cursor: Cursor, tree?: TreePosition): string {
    return `${idOf(event, tree)}data: ${toTreeJson(this.#toPublic(event), cursor)}\n\n`;
  }

  frameOfTurn(event: SessionEvent, cursor: Cursor, tree?: TreePosition): string {
    return `${idOf(event, tree)}data: ${toTreeJsonOfTurn(this.#toPublic(event), cursor)}\n\n`;
  }
}

function idOf(event: SessionEvent, tree: TreePosition | undefined): string {
  if (tree === undefined || (isLiveOnly(event) && event.type !== "settled")) return "";
  const { cursor } = tree;
  return cursor.length > maxCursorChars ? "" : `id: ${cursor}\n`;
}
