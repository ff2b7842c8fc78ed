/** Streams the reply to one input of a page. */
import type { Session, Turn } from "@capstan/core";
import type { SessionEvent } from "@capstan/log";
import { chainMark, formatCursor, startCursor } from "@capstan/log";
import type { ChatProtocol } from "@capstan/log/chat";
import { nothingAdded, replyIdOf } from "@capstan/log/chat";
import type { Call } from "../endpoints/endpoint.ts";
import type { OpenedStream, StreamChoices, StreamFormat } from "../endpoints/open-stream.ts";
import { openStream } from "../endpoints/open-stream.ts";
import { failIfRefused } from "../endpoints/refusal.ts";
import { TurnStream } from "../endpoints/turn-stream.ts";
import type { OpenSession } from "../server/sessions.ts";
import type { EventStream } from "../streaming/frame-sink.ts";
import type { ChatQuery } from "./chat-endpoints.ts";
import type { ChatReply } from "./chat-frames.ts";
import { chatEndings, chatFormat, chatHeaders } from "./chat-frames.ts";
import { chunkFrames, doneFrame } from "./chunk-frames.ts";
import { ChildFrames } from "./child-frames.ts";
import { inputUnderWay } from "./input-under-way.ts";

type ChatCall = Pick<Call<ChatQuery, unknown>, "backend" | "principal" | "query">;

interface TurnToStream extends Omit<ChatReply, "protocol"> {
  /** Whether the turn was started before, so that its events come from the log. */
  readonly isRepeat?: boolean;
}

/** Streams a turn that is started here. */
export async function streamTurn(
  call: ChatCall,
  open: OpenSession,
  { isRepeat = false, ...reply }: TurnToStream,
  start: (session: Session) => Turn,
): Promise<EventStream> {
  const { backend } = call;
  const after = isRepeat ? startCursor : undefined;
  const { session } = open;
  const early: { stream?: TurnStream } = {};
  const leaving = leaveOf(call, session);
  const stream = openChat(call, open, {
    format: chatFormat(backend, session, { protocol: protocolOf(call), ...reply }),
    ...(after !== undefined && { from: after }),
    accepts: (event, cursor) => early.stream?.accepts(event, cursor) ?? true,
    onEvent: (event) => {
      leaving.onEvent(event);
      early.stream?.onEvent(event);
    },
    onClose: leaving.onClose,
  });
  try {
    const turn = start(session);
    early.stream = new TurnStream(session, turn, after, chatEndings(backend));
    await session.flush();
    await failIfRefused(turn);
    early.stream.follow(turn, stream.reader);
    return withChatHeaders(stream);
  } catch (thrown) {
    leaving.release();
    stream.reader.onClose();
    throw thrown;
  }
}

/**
 * Streams the reply that is under way, from its beginning, which may be some turns ago: those that waited for answers. Undefined if there is
 * none.
 */
export function followChat(call: ChatCall, open: OpenSession): EventStream | undefined {
  const { session } = open;
  const { current } = session;
  const input = inputUnderWay(session);
  if (current === undefined || input === undefined) return undefined;
  const last = session.turnIdOf(current.id);
  const turns = turnsBetween(session.turnIdOf(input), last);
  const leaving = leaveOf(call, session);
  const stream: OpenedStream = openChat(call, open, {
    format: chatFormat(call.backend, session, {
      protocol: protocolOf(call),
      messageId: replyIdOf(input),
    }),
    from: startCursor,
    accepts: ({ turnId, type }) => turns.has(turnId) && type !== "settled",
    onEvent(event) {
      leaving.onEvent(event);
      if (event.type === "turn_end" && event.turnId === last) stream.reader.end(doneFrame);
    },
    onClose: leaving.onClose,
  });
  return withChatHeaders(stream);
}

interface ChatChoices extends StreamChoices {
  readonly format: StreamFormat;
}

/** Like `openStream`, with the progress of child sessions. A reply from its beginning on is not one of a tree: that would have every child of the session. */
function openChat(call: ChatCall, open: OpenSession, choices: ChatChoices): OpenedStream {
  const { session } = open;
  const children = new ChildFrames(call.backend, session);
  const isTree = choices.from === undefined;
  const { format } = choices;
  const shown: { stop?: () => void } = {};
  const stream = openStream(call, open, {
    ...choices,
    ...(isTree && { tree: formatCursor(session.cursor) }),
    format: { ...format, frames: children.before(format.frames) },
    accepts(event, cursor) {
      if (isTree) children.take(event);
      return event.sessionId === session.id && choices.accepts?.(event, cursor) !== false;
    },
    onClose() {
      shown.stop?.();
      children.stop();
      choices.onClose?.();
    },
  });
  children.showTo(stream.reader);
  if (!isTree) shown.stop = session.subscribe((event) => children.take(event), { tree: true });
  return stream;
}

/** A stream that adds nothing to a message: what was sent is known already. */
export function emptyStream(messageId: string): EventStream {
  return {
    headers: {
      "content-type": "text/event-stream",
      "cache-control": "no-store, no-transform",
      ...chatHeaders,
    },
    start(sink) {
      sink.write(chunkFrames([{ type: "start", messageId }, ...nothingAdded]) + doneFrame);
      sink.end();
      return { onDrain: () => {}, onClose: () => {} };
    },
  };
}

function withChatHeaders(stream: EventStream): EventStream {
  return { ...stream, headers: { ...stream.headers, ...chatHeaders } };
}

function protocolOf({ backend, query }: ChatCall): ChatProtocol {
  return query.protocol ?? backend.chat.protocol;
}

/** Stops the turn if its reader leaves before the end, where the server wants that. */
function leaveOf(
  { backend }: ChatCall,
  session: Session,
): { onEvent(event: SessionEvent): void; onClose(): void; release(): void } {
  let isOver = backend.chat.onDisconnect === "continue";
  return {
    onEvent({ type }) {
      if (type === "turn_end") isOver = true;
    },
    release: () => (isOver = true),
    onClose() {
      if (isOver || backend.isClosing()) return;
      isOver = true;
      // The reader cannot be told any more: the turn goes on, as it does by default.
      session.abort("The reader left").catch(() => {});
    },
  };
}

/** Ids of the turns from one to another that continues it. */
function turnsBetween(first: string, last: string): ReadonlySet<string> {
  const [root = last] = last.split(chainMark, 1);
  const ids: string[] = [];
  for (let number = numberOf(first); number <= numberOf(last); number++) {
    ids.push(number === 1 ? root : `${root}${chainMark}${number}`);
  }
  return new Set(ids);
}

function numberOf(turnId: string): number {
  return Number(turnId.split(chainMark)[1] ?? 1);
}
