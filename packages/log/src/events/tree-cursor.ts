/** Positions in the events of a session and of all sessions below it: one cursor for each session that is still followed. */
import type { Cursor } from "./cursor.ts";
import { formatCursor } from "./cursor.ts";
import type { SessionEvent } from "./session-event.ts";

/**
 * A session's cursor, and those of its children that the reader follows, by the seq of the entry that started each. A child that started
 * before the cursor and is not listed was read to its end. Without a list the cursor is that of the session alone.
 */
export interface TreeCursor {
  readonly cursor: Cursor;
  readonly children?: ReadonlyMap<number, TreeCursor>;
}

/** Position of a subscriber of a tree. */
export interface TreePosition {
  /** Composite cursor after the event that is being delivered; that of the session, if no tree is followed. Only valid during the delivery. */
  readonly cursor: string;
}

/** Gets each event with its cursor in its own session, and the position of the subscriber as text. */
export type TreeListener = (event: SessionEvent, cursor: Cursor, tree: TreePosition) => void;

/** As text, for example `45.2(12:30.1(),14:28.0(7:5.1()))`. */
export function formatTreeCursor({ cursor, children }: TreeCursor): string {
  if (children === undefined) return formatCursor(cursor);
  const listed = [...children].map(([startSeq, child]) => `${startSeq}:${formatTreeCursor(child)}`);
  return `${formatCursor(cursor)}(${listed.join(",")})`;
}

/** Characters of the longest composite cursor that is read. */
const maxChars = 1_000_000;
/** Levels of the deepest. */
const maxLevels = 100;

/** Undefined if the text is not a composite cursor. The cursor of a session is one, without a list. */
export function parseTreeCursor(text: string): TreeCursor | undefined {
  if (text.length > maxChars) return undefined;
  const reader = new TextReader(text);
  const parsed = reader.cursor(0);
  return reader.isAtEnd ? parsed : undefined;
}

class TextReader {
  readonly #text: string;
  #index = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#index === this.#text.length;
  }

  cursor(level: number): TreeCursor | undefined {
    const seq = this.#number();
    const isPair = this.#takes(".");
    const n = this.#number();
    if (seq === undefined || !isPair || n === undefined) return undefined;
    const cursor = { seq, n };
    if (!this.#takes("(")) return level === 0 ? { cursor } : undefined;
    const children = level < maxLevels ? this.#children(level + 1) : undefined;
    return children && { cursor, children };
  }

  #children(level: number): ReadonlyMap<number, TreeCursor> | undefined {
    const children = new Map<number, TreeCursor>();
    if (this.#takes(")")) return children;
    do {
      const startSeq = this.#number();
      if (startSeq === undefined || !this.#takes(":")) return undefined;
      const child = this.cursor(level);
      if (child === undefined || children.has(startSeq)) return undefined;
      children.set(startSeq, child);
    } while (this.#takes(","));
    return this.#takes(")") ? children : undefined;
  }

  #number(): number | undefined {
    const digits = /\d{1,15}/y;
    digits.lastIndex = this.#index;
    const match = digits.exec(this.#text);
    if (match === null) return undefined;
    this.#index += match[0].length;
    return Number(match[0]);
  }

  #takes(character: string): boolean {
    if (this.#text[this.#index] !== character) return false;
    this.#index += 1;
    return true;
  }
}
