/** Opens a stream of a session's events, from the request to the last frame. */
import type { Session } from "@capstan/core";
import type { Cursor, SessionEvent, TreeCursor } from "@capstan/log";
import { parseCursor, parseTreeCursor } from "@capstan/log";
import type { Call } from "./endpoint.ts";
import { EventReader } from "../streaming/event-reader.ts";
import type { EventStream, FrameSink, FrameSource } from "../streaming/frame-sink.ts";
import { sessionHeaders } from "../guard/public-error.ts";
import { cursorAhead, invalidRequest } from "../guard/server-error.ts";
import type { EndReason, EventFrames, StreamNames } from "../streaming/session-frames.ts";
import { retryFrame, streamFrame, streamHeaders } from "../streaming/session-frames.ts";
import type { OpenSession } from "../server/sessions.ts";
import { TreeFrames } from "../streaming/tree-frames.ts";
import { maxCursorChars } from "../guard/limits.ts";
import type { PublicView } from "../guard/public-view.ts";

export interface StreamChoices {
  /** Cursor of the last event the reader has seen. Default: from now on. */
  readonly after?: Cursor;
  /** Cursor to start at, if different. */
  readonly from?: Cursor;
  /** Sends the events of child sessions, too, after this composite cursor. */
  readonly tree?: string;
  /** Format of the stream. Default: the events themselves. */
  readonly format?: StreamFormat;
  accepts?(event: SessionEvent, cursor: Cursor): boolean;
  onEvent?(event: SessionEvent): void;
  /** Called when the stream is over, or its reader is gone. */
  onClose?(): void;
}

export interface StreamFormat {
  readonly frames: EventFrames;
  /** First frame of the stream. */
  readonly opening: string;
  endFrame(reason: EndReason): string;
}

export interface OpenedStream extends EventStream {
  readonly reader: EventReader;
}

/** Fails with `too_many_streams`. Buffers events from now on, up to the limit, until the stream is started. */
export function openStream(
  { backend, principal }: Pick<Call<unknown, unknown>, "backend" | "principal">,
  open: OpenSession,
  {
    after,
    from = after,
    tree,
    format = tree === undefined ? ownFormat(open, after) : treeFormat(open, backend.view, tree),
    accepts,
    onEvent,
    onClose,
  }: StreamChoices,
): OpenedStream {
  const { session } = open;
  const { limits, metrics, streams, sessions } = backend;
  const giveBack = streams.admit(principal);
  const release = sessions.hold(open);
  const reader: EventReader = new EventReader({
    session,
    isTree: tree !== undefined,
    ...format,
    maxUnreadChars: limits.maxUnreadChars,
    unread: streams.unread,
    ...(accepts && { accepts }),
    ...(onEvent && { onEvent }),
    onWrite: (events, chars) => metrics.onWrite(events, chars),
    onClose() {
      forget();
      release();
      giveBack();
      onClose?.();
    },
  });
  const forget = streams.add(principal, session.id, reader);
  reader.subscribe(tree ?? from);
  return {
    headers: { ...streamHeaders, ...sessionHeaders(session) },
    reader,
    start: (sink: FrameSink): FrameSource => reader.start(sink),
  };
}

function ownFormat({ session, frames }: OpenSession, after: Cursor | undefined): StreamFormat {
  return eventFormat(frames, namesOf(session), after);
}

function treeFormat({ session }: OpenSession, view: PublicView, after: string): StreamFormat {
  const children = session.children
    .filter(({ state }) => state !== "ended")
    .map(({ agent, sessionId, toolCallId }) => ({ agent, sessionId, toolCallId }));
  return eventFormat(new TreeFrames(view.event), { ...namesOf(session), children }, after);
}

function eventFormat(
  frames: EventFrames,
  names: StreamNames,
  after: Cursor | string | undefined,
): StreamFormat {
  return {
    frames,
    // The cursor lets a reader that is disconnected at once resume at the right position.
    opening: retryFrame + streamFrame({ type: "stream_start", ...names }, after),
    endFrame: (reason) => streamFrame({ type: "stream_end", reason }),
  };
}

function namesOf({ id, incarnation }: Session): StreamNames {
  return { sessionId: id, ...(incarnation !== undefined && { incarnation }) };
}

/** Fails with `cursor_ahead` if the session has not reached the cursor. */
export function mustBeReached({ lastSeq }: Session, { seq }: Cursor): void {
  if (seq > lastSeq) throw cursorAhead(seq, lastSeq);
}

/** Fails with `invalid_request` for an invalid cursor. */
export function cursorIn(headers: Headers): Cursor | undefined {
  const text = lastEventId(headers);
  return text === undefined ? undefined : toCursor(text, "last-event-id");
}

/** Cursor that a reader that reconnects by itself sends. */
export function lastEventId(headers: Headers): string | undefined {
  return headers.get("last-event-id") || undefined;
}

/** Fails with `invalid_request` for an invalid composite cursor. */
export function toTreeCursor(text: string, path: string): TreeCursor {
  const cursor = text.length > maxCursorChars ? undefined : parseTreeCursor(text);
  if (cursor !== undefined) return cursor;
  const message = `must be an id of a frame of such a stream, of ${maxCursorChars} characters at most, or seq.n`;
  throw invalidRequest("Invalid cursor", [{ path, message }]);
}

export function toCursor(text: string, path: string): Cursor {
  const cursor = parseCursor(text);
  if (cursor !== undefined) return cursor;
  throw invalidRequest("Invalid cursor", [{ path, message: "must be seq.n, for example 12.3" }]);
}
