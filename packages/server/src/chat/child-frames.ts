/** Shows a page what child sessions do while its reply is streamed. */
import type { Session } from "@capstan/core";
import type { SessionEvent } from "@capstan/log";
import { ChildChunks } from "@capstan/log/chat";
import type { Backend } from "../endpoints/endpoint.ts";
import type { EventReader } from "../streaming/event-reader.ts";
import type { EventFrames } from "../streaming/session-frames.ts";
import { chunkFrames } from "./chunk-frames.ts";

/** Delay before a slow reader is tried again. */
const retryMs = 250;

/** Takes the events of a tree. Frames have no id: the reply does not depend on them. */
export class ChildFrames {
  readonly #clock: Backend["clock"];
  readonly #chunks: ChildChunks;
  #reader: EventReader | undefined;
  #cancel: (() => void) | undefined;
  #isOver = false;

  constructor({ clock }: Pick<Backend, "clock">, session: Session) {
    this.#clock = clock;
    this.#chunks = new ChildChunks({
      sessionId: session.id,
      children: session.children.filter(({ state }) => state !== "ended"),
      now: clock.now,
    });
  }

  /** The reader that gets the frames. */
  showTo(reader: EventReader): void {
    this.#reader = reader;
    this.#show();
  }

  take(event: SessionEvent): void {
    this.#chunks.take(event);
    this.#show();
  }

  /** These frames, with everything that the page does not have yet before the end of a turn. */
  before(frames: EventFrames): EventFrames {
    const rest = ({ type }: SessionEvent): string => {
      if (type !== "turn_end") return "";
      const { chunks, onShown } = this.#chunks.rest();
      onShown();
      return chunkFrames(chunks);
    };
    return {
      frame: (event, ...at) => rest(event) + frames.frame(event, ...at),
      frameOfTurn: (event, ...at) => rest(event) + frames.frameOfTurn(event, ...at),
    };
  }

  stop(): void {
    this.#isOver = true;
    this.#cancel?.();
  }

  #show(): void {
    if (this.#isOver) return;
    this.#cancel?.();
    this.#cancel = undefined;
    const { timer, idleTimer = timer } = this.#clock;
    const { chunks, onShown } = this.#chunks.due();
    const isWritten = chunks.length > 0 && this.#reader?.insert(chunkFrames(chunks)) === true;
    if (isWritten) onShown();
    const { dueInMs } = this.#chunks;
    if (dueInMs === undefined) return;
    this.#cancel = idleTimer(dueInMs === 0 ? retryMs : dueInMs, () => this.#show());
  }
}
