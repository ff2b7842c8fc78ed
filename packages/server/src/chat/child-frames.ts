/** Shows a page what child sessions do while its reply is streamed. */
import type { Session } from "@capstan/core";
import { ChildChunks } from "@capstan/log/chat";
import type { Backend } from "../endpoints/endpoint.ts";
import type { EventReader } from "../streaming/event-reader.ts";
import { chunkFrames } from "./chunk-frames.ts";

/** Delay before a slow reader is tried again. */
const retryMs = 250;

/** Returns a function that stops it. Frames have no id: the reply does not depend on them. */
export function showChildren(
  { clock }: Backend,
  session: Session,
  reader: EventReader,
): () => void {
  const { timer, idleTimer = timer, now } = clock;
  const children = new ChildChunks({
    sessionId: session.id,
    children: session.children.filter(({ state }) => state !== "ended"),
    now,
  });
  let cancel: (() => void) | undefined;
  const show = (): void => {
    cancel?.();
    cancel = undefined;
    const { chunks, onShown } = children.due();
    const isWritten = chunks.length > 0 && reader.insert(chunkFrames(chunks));
    if (isWritten) onShown();
    const { dueInMs } = children;
    if (dueInMs !== undefined) cancel = idleTimer(dueInMs === 0 ? retryMs : dueInMs, show);
  };
  const stop = session.subscribe(
    (event) => {
      children.take(event);
      show();
    },
    { tree: true },
  );
  return () => {
    stop();
    cancel?.();
  };
}
