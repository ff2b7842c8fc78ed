/** Streams of chunks from the events of a turn. */
import type { Turn } from "@capstan/kernel";
import type { SessionEvent } from "@capstan/log";
import type { Chunk, ChunkEncoder } from "@capstan/log/chat";
import type { ChildParts } from "./child-parts.ts";

type SessionTurn = Turn<unknown, SessionEvent>;

export interface ChunkSource {
  readonly chunks: AsyncGenerator<Chunk>;
  /** Turn that an abort ends. */
  readonly turn: SessionTurn | undefined;
}

/** Chunks of one message. The turns of a chain are one message, so only the end of the last one is its end. */
export async function* chunksOf(
  messageId: string,
  events: AsyncIterable<SessionEvent>,
  encoder: ChunkEncoder,
  children: ChildParts,
): AsyncGenerator<Chunk> {
  yield { type: "start", messageId };
  let suspended: SessionEvent | undefined;
  for await (const event of inTime(events, children)) {
    if (event !== undefined && children.take(event)) {
      if (event.type === "turn_end") yield* children.rest();
      const isSuspended = event.type === "turn_end" && event.pending !== undefined;
      suspended = isSuspended ? event : undefined;
      if (!isSuspended) yield* encoder.take(event);
    }
    yield* children.due();
  }
  if (suspended !== undefined) yield* encoder.take(suspended);
}

/** The events, and undefined whenever a child has something to show and no event comes. */
async function* inTime(
  events: AsyncIterable<SessionEvent>,
  children: ChildParts,
): AsyncGenerator<SessionEvent | undefined> {
  const iterator = events[Symbol.asyncIterator]();
  try {
    for (let next = iterator.next(); ;) {
      const { dueInMs } = children;
      const result = dueInMs === undefined ? await next : await within(next, dueInMs);
      if (result === undefined) yield undefined;
      else if (result.done === true) return;
      else {
        yield result.value;
        next = iterator.next();
      }
    }
  } finally {
    await iterator.return?.();
  }
}

/** Undefined if it takes longer. */
async function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, ms, undefined);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Events of a chain from the last input of the user on, which is what the page's last message replies to. It has started its chain, or has
 * continued it because it settled pending calls: then it is steered into the turn before the model is asked. `lastTurnId` is the last turn of
 * the chain that has started.
 */
export async function fromLastInput(
  turn: SessionTurn,
  lastTurnId: string,
): Promise<{ readonly input: string; readonly events: AsyncIterable<SessionEvent> }> {
  const iterator = turn[Symbol.asyncIterator]();
  let input = turn.id;
  let seen: SessionEvent[] = [];
  let turnStart = 0;
  for (;;) {
    const { value, done } = await iterator.next();
    if (done === true) break;
    if (value.type === "turn_start") turnStart = seen.length;
    const said = inputIn(value, () => seen.slice(turnStart));
    seen.push(value);
    if (said !== undefined) {
      input = said;
      seen = seen.slice(turnStart);
      turnStart = 0;
    }
    const isAsked = value.type === "attempt_start" || value.type === "turn_end";
    if (isAsked && value.turnId === lastTurnId) break;
  }
  return { input, events: continued(seen, iterator) };
}

/** Id of the message, if the event names one that a page's message replies to. `before` are the earlier events of its turn. */
function inputIn(event: SessionEvent, before: () => readonly SessionEvent[]): string | undefined {
  if (event.type === "turn_start") return event.input.at(-1);
  if (event.type !== "steering_delivered") return undefined;
  const isFirst = before().every(({ type }) => type !== "attempt_start");
  return isFirst ? event.ids.at(-1) : undefined;
}

async function* continued(
  seen: readonly SessionEvent[],
  rest: AsyncIterator<SessionEvent>,
): AsyncGenerator<SessionEvent> {
  yield* seen;
  yield* { [Symbol.asyncIterator]: () => rest };
}

/** When the signal fires, the stream fails as one of `fetch` does, and with `stop` the turn is aborted. */
export function toStream(
  { chunks, turn }: ChunkSource,
  signal: AbortSignal | undefined,
  onAbort: "stop" | "leave",
): ReadableStream<Chunk> {
  const over = new AbortController();
  return new ReadableStream<Chunk>({
    start(controller) {
      const abort = (): void => {
        if (onAbort === "stop") turn?.abort();
        controller.error(new DOMException("The page has stopped the reply", "AbortError"));
      };
      if (signal?.aborted === true) abort();
      else signal?.addEventListener("abort", abort, { signal: over.signal });
    },
    async pull(controller) {
      const { value, done } = await chunks.next();
      if (signal?.aborted === true) return;
      if (done !== true) return controller.enqueue(value);
      over.abort();
      controller.close();
    },
    async cancel() {
      over.abort();
      await chunks.return(undefined);
    },
  });
}
