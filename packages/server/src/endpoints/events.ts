/** Follows a session, or goes on where a reader left off. Leaving stops nothing. */
import type { Session } from "@capstan/core";
import type { Cursor, EventsQuery } from "@capstan/log";
import type { Call, Endpoint } from "./endpoint.ts";
import { endpoint } from "./endpoint.ts";
import { EventsQuerySchema } from "./request-schemas.ts";
import { cursorIn, mustBeReached, openStream, toCursor } from "./open-stream.ts";

/** From now on. In the middle of a turn what is live comes first, behind the last fact. */
function here({ cursor, status }: Session): Cursor {
  return status === "running" ? { seq: cursor.seq, n: 0 } : cursor;
}

export const events: Endpoint = endpoint({
  method: "GET",
  path: "/api/agent/session/:id/events",
  summary:
    "Streams the events behind Last-Event-ID or ?after=, or from now on, until the reader leaves. With ?incarnation= of that session alone",
  query: EventsQuerySchema,
  answers: "events",
  async handle(call: Call<EventsQuery, undefined>) {
    const { backend, principal, id, query, headers } = call;
    const { incarnation } = query;
    // A reader that comes back by itself says where it was; the address is where it began.
    const after =
      cursorIn(headers) ?? (query.after === undefined ? undefined : toCursor(query.after, "after"));
    return backend.sessions.use({ principal, id, incarnation }, async (open) => {
      // The reader may have seen more elsewhere than is known here, and of another session.
      await open.session.refresh();
      if (after !== undefined) mustBeReached(open.session, after);
      return openStream(call, open, { after: after ?? here(open.session) });
    });
  },
});
