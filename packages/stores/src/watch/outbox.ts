/** Messages of one handle of a store to the others, gathered for a moment to send many at once. */
import type { LiveFrame, MaybePromise } from "@capstan/log";
import { isPromise } from "@capstan/log";

/** Message between handles. A note may be lost. */
export type Note =
  | { readonly type: "changed"; readonly ids: readonly string[] }
  /** The sender follows these sessions: it has started to, or still does. */
  | { readonly type: "follow"; readonly ids: readonly string[]; readonly isNew: boolean }
  | { readonly type: "live"; readonly id: string; readonly frames: readonly LiveFrame[] };

/** Sends notes to all other handles, or fails silently. */
export type SendNotes = (notes: readonly Note[]) => MaybePromise<void>;

const gatherMs = 20;

export class Outbox {
  readonly #send: SendNotes;
  readonly #changed = new Set<string>();
  /** Maps each id to whether the follower is new. */
  readonly #followed = new Map<string, boolean>();
  readonly #frames = new Map<string, LiveFrame[]>();
  /** Also set while notes are being sent: then the next ones gather for longer. */
  #timer: NodeJS.Timeout | undefined;

  constructor(send: SendNotes) {
    this.#send = send;
  }

  changed(id: string): void {
    this.#changed.add(id);
    this.#sendLater();
  }

  follow(ids: Iterable<string>, isNew: boolean): void {
    for (const id of ids) this.#followed.set(id, isNew || this.#followed.get(id) === true);
    this.#sendLater();
  }

  live(id: string, frame: LiveFrame): void {
    const frames = this.#frames.get(id) ?? [];
    this.#frames.set(id, frames);
    const last = frames.at(-1);
    if (last !== undefined && isNext(last, frame)) {
      frames[frames.length - 1] = { ...last, events: [...last.events, ...frame.events] };
    } else {
      frames.push(frame);
    }
    this.#sendLater();
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #sendLater(): void {
    this.#timer ??= setTimeout(() => {
      const sent = this.#send(this.#take());
      const onSent = (): void => {
        this.#timer = undefined;
        if (this.#changed.size + this.#followed.size + this.#frames.size > 0) this.#sendLater();
      };
      if (isPromise(sent)) sent.then(onSent, onSent);
      else onSent();
    }, gatherMs).unref();
  }

  #take(): Note[] {
    const notes: Note[] = [];
    if (this.#changed.size > 0) notes.push({ type: "changed", ids: [...this.#changed] });
    for (const isNew of [true, false]) {
      const some = [...this.#followed].filter(([, each]) => each === isNew);
      if (some.length > 0) notes.push({ type: "follow", ids: some.map(([id]) => id), isNew });
    }
    for (const [id, frames] of this.#frames) notes.push({ type: "live", id, frames });
    this.#changed.clear();
    this.#followed.clear();
    this.#frames.clear();
    return notes;
  }
}

/** True if the events of `frame` directly continue those of `last`. */
function isNext(last: LiveFrame, frame: LiveFrame): boolean {
  return (
    frame.epoch === last.epoch &&
    frame.seq === last.seq &&
    frame.turnId === last.turnId &&
    frame.from === last.from + last.events.length
  );
}
