/** The arguments of `session.subscribe`: where a subscriber begins, and a listener of a single session. */
import type { Cursor, EventListener, TreeCursor, TreeListener } from "@capstan/log";
import { formatCursor, parseTreeCursor } from "@capstan/log";
import { invalid } from "../errors/session-error.ts";
import type { SubscribeFrom } from "./subscribe-after.ts";

/** Throws `invalid_input` for an invalid cursor, and for that of a tree if the subscriber follows a single session. */
export function toStart({ after, tree: isTree = false }: SubscribeFrom): TreeCursor {
  if (typeof after === "object") return { cursor: after };
  const text = String(after);
  const start = parseTreeCursor(text);
  const shown = text.length > 50 ? `${text.slice(0, 50)}…` : text;
  if (start === undefined) throw invalid(`Invalid cursor "${shown}": pass one that a listener got`);
  if (isTree || start.children === undefined) return start;
  throw invalid(`The cursor "${shown}" is that of a tree: subscribe with tree: true`);
}

/** Tells the listener the cursor as text, too. */
export function singleListener(listener: TreeListener): EventListener {
  let current: Cursor | undefined;
  const position = {
    get cursor() {
      return current === undefined ? "" : formatCursor(current);
    },
  };
  return (event, cursor) => {
    current = cursor;
    // Its type allows no async listener, but one is reported.
    return listener(event, cursor, position);
  };
}
