/** Streams the events of a session, from now on or from a reader's cursor. Leaving stops nothing. */
import type { Session } from "@capstan/core";
import type { Cursor, EventsQuery } from "@capstan/log";
import { formatCursor, formatTreeCursor } from "@capstan/log";
import type { Call, Endpoint } from "./endpoint.ts";
import { eventStream } from "./answered.ts";
import { endpoint } from "./endpoint.ts";
import type { OpenedStream } from "./open-stream.ts";
import {
  cursorIn,
  lastEventId,
  mustBeReached,
  openStream,
  toCursor,
  toTreeCursor,
} from "./open-stream.ts";

/** Cursor for now. During a turn it includes the live events, after the last stored one. */
function here({ cursor, status }: Session): Cursor {
  return status === "running" ? { seq: cursor.seq, n: 0 } : cursor;
}

export const events: Endpoint = endpoint({
  method: "GET",
  path: "/api/agent/session/:id/events",
  summary:
    "Streams events after Last-Event-ID or ?after=, or from now on, until the client disconnects. With ?tree=1 those of child sessions, too. With ?incarnation= only if the session has that incarnation",
  query: "EventsQuery",
  answers: { 200: eventStream },
  async handle(call: Call<EventsQuery, undefined>) {
    const { backend, principal, id, query, headers } = call;
    const { incarnation } = query;
    if (query.tree === "1") return followTree(call);
    // A reader that reconnects by itself sends its position in the header; the query has its original start.
    const after =
      cursorIn(headers) ?? (query.after === undefined ? undefined : toCursor(query.after, "after"));
    return backend.sessions.use({ principal, id, incarnation }, async (open) => {
      // The reader may have seen more from another process, or from another session with this id.
      await open.session.refresh();
      if (after !== undefined) mustBeReached(open.session, after);
      return openStream(call, open, { after: after ?? here(open.session) });
    });
  },
});

async function followTree(call: Call<EventsQuery, undefined>): Promise<OpenedStream> {
  const { backend, principal, id, query, headers } = call;
  const { incarnation } = query;
  const named = lastEventId(headers);
  const text = named ?? query.after;
  const path = named === undefined ? "after" : "last-event-id";
  const after = text === undefined ? undefined : toTreeCursor(text, path);
  return backend.sessions.use({ principal, id, incarnation }, async (open) => {
    await open.session.refresh();
    if (after !== undefined) mustBeReached(open.session, after.cursor);
    const tree = after === undefined ? formatCursor(here(open.session)) : formatTreeCursor(after);
    return openStream(call, open, { tree });
  });
}
