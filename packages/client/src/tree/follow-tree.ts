/** Follows a session and the sessions below it over one stream, which also keeps the session itself current. */
import type { ChildStep } from "@capstan/kernel";
import type {
  Cursor,
  PlacedEvent,
  SessionEvent,
  ShownCalls,
  TreeListener,
  WireEvent,
} from "@capstan/log";
import { formatCursor, WireTreeReader } from "@capstan/log";
import type { ClientError } from "../errors/client-error.ts";
import { ReadPosition } from "../stream/read-position.ts";
import type { StreamListener, TreeSource } from "../stream/session-stream.ts";
import { SessionStream } from "../stream/session-stream.ts";
import type { SessionRuntime } from "../turns/session-runtime.ts";
import { ChildViews } from "./child-views.ts";

export interface TreeReader {
  readonly listener: TreeListener;
  /** Composite cursor. Default: the session from where it is known, and children at work from the beginning of their work. */
  readonly after: string | undefined;
  /** Learns which pending calls the listener gets. */
  readonly shown: ShownCalls;
  /** Ends the stream. */
  readonly signal: AbortSignal;
}

export function followTree(runtime: SessionRuntime, reader: TreeReader): void {
  const { signal } = reader;
  if (signal.aborted) return;
  const follower = new TreeFollower(runtime, reader);
  const leave = new SessionStream(runtime.connection, runtime.path, follower).use();
  runtime.trees = [...runtime.trees, follower.children];
  signal.addEventListener("abort", () => {
    leave();
    runtime.trees = runtime.trees.filter((tree) => tree !== follower.children);
  });
}

class TreeFollower implements StreamListener, TreeSource {
  readonly children: ChildViews;
  readonly #runtime: SessionRuntime;
  readonly #reader: TreeReader;
  readonly #wire: WireTreeReader;
  /** A frame may have no id, so a part of the stream may come again. */
  readonly #seen = new Map<string, ReadPosition>();
  #cursor: string;

  constructor(runtime: SessionRuntime, reader: TreeReader) {
    this.#runtime = runtime;
    this.#reader = reader;
    this.#cursor = reader.after ?? formatCursor(runtime.cursor);
    this.#wire = new WireTreeReader(runtime.sessionId);
    this.children = new ChildViews(runtime.sessionId);
  }

  get tree(): TreeSource {
    return this;
  }

  get cursor(): string {
    return this.#cursor;
  }

  get incarnation(): string | undefined {
    return this.#runtime.incarnation;
  }

  read(wire: WireEvent, id: string | undefined): PlacedEvent | undefined {
    // Streams of trees say where each event is.
    const placed = this.#wire.read(wire as Parameters<WireTreeReader["read"]>[0]);
    if (placed === undefined) return undefined;
    this.#cursor = id ?? this.#cursor;
    const { event, cursor } = placed;
    return this.#positionOf(event.sessionId).takes(event, cursor) ? placed : undefined;
  }

  onEvent(event: SessionEvent, cursor: Cursor): void {
    const runtime = this.#runtime;
    const { shown, listener } = this.#reader;
    this.children.apply(event, cursor);
    if (event.sessionId === runtime.sessionId) {
      shown.noteEvent(event);
      // Another stream of the session has its live parts, perhaps newer ones.
      if (!runtime.stream.isUsed) runtime.onEvent(event, cursor);
    }
    try {
      listener(event, cursor, this);
    } catch {
      // A listener's failure must not affect the stream.
    }
  }

  onStart(
    sessionId: string,
    incarnation: string | undefined,
    children: readonly ChildStep[] = [],
  ): void {
    this.#runtime.onStart(sessionId, incarnation);
    for (const child of children) this.children.name(child);
  }

  onQuiet(): void {
    this.#runtime.onQuiet();
  }

  onLost(failure: ClientError): void {
    this.#runtime.onLost(failure);
  }

  #positionOf(sessionId: string): ReadPosition {
    let position = this.#seen.get(sessionId);
    if (position === undefined) {
      position = new ReadPosition();
      this.#seen.set(sessionId, position);
    }
    return position;
  }
}
