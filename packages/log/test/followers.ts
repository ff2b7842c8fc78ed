/** Readers of a played session, in another process than its owner. */
import { LiveView } from "@capstan/kernel";
import { EventFeed, formatCursor } from "@capstan/log";
import type { LiveFrame, PlacedEvent } from "@capstan/log";
import { stored } from "./play-session.ts";
import type { Moment, PlayedSession } from "./play-session.ts";

/** How the frames that the owner sends at one moment are delivered. */
export interface Delivery {
  /** It gets there so many moments late; lost, if undefined. */
  readonly delay: number | undefined;
  readonly isDoubled: boolean;
  /** Whether the follower is told that there are new entries. */
  readonly isTold: boolean;
}

/** A reader's own view, made from the events it was shown and from nothing else. */
export class Reader {
  readonly events: PlacedEvent[] = [];
  readonly #view = new LiveView();

  take(events: readonly PlacedEvent[]): void {
    for (const placed of events) {
      this.events.push(placed);
      this.#view.apply(placed.event);
    }
  }

  get view(): unknown {
    return { type: "snapshot", ...this.#view.snapshot() };
  }
}

/** Difference to the owner's view at an event that was sent live. */
export interface WrongView {
  readonly at: string;
  readonly reader: unknown;
  readonly owner: unknown;
}

/** Follows the session over a line that loses, doubles and delays. The last read is whole. */
export class Follower {
  readonly feed = new EventFeed("s1");
  readonly reader = new Reader();
  readonly wrongViews: WrongView[] = [];
  readonly #session: PlayedSession;
  readonly #views: ReadonlyMap<string, unknown>;

  constructor(session: PlayedSession) {
    this.#session = session;
    this.#views = new Map(
      session.moments.map(({ snapshot }) => [placeOf(snapshot), snapshot.events[0]]),
    );
  }

  follow(deliveries: readonly Delivery[]): void {
    const late = new Map<number, LiveFrame[]>();
    for (const [at, moment] of this.#session.moments.entries()) {
      const { delay, isDoubled, isTold } = deliveries[at % deliveries.length] ?? onTime;
      if (moment.type === "entries" && isTold) this.read(moment.lastSeq);
      if (moment.type === "live" && moment.frame !== undefined && delay !== undefined) {
        const frames = isDoubled ? [moment.frame, moment.frame] : [moment.frame];
        late.set(at + delay, [...(late.get(at + delay) ?? []), ...frames]);
      }
      for (const frame of late.get(at) ?? []) this.#receive(frame, at);
    }
    this.read(Infinity);
  }

  read(lastSeq: number): void {
    const { entries } = this.#session;
    this.reader.take(this.feed.takeStored(stored(entries.filter(({ seq }) => seq <= lastSeq))));
  }

  #receive(frame: LiveFrame, at: number): void {
    let events = this.feed.frame(frame);
    if (events === "ahead") {
      this.read(this.#lastSeq(at));
      events = this.feed.frame(frame);
    }
    if (events === "gap") {
      const { snapshot } = this.#session.moments[at] as Moment;
      this.read(this.#lastSeq(at));
      events = this.feed.frame(snapshot);
    }
    if (typeof events === "string") throw new Error(`Nothing helps: ${events}`);
    for (const placed of events) {
      this.reader.take([placed]);
      this.#compare(formatCursor(placed.cursor));
    }
  }

  #compare(at: string): void {
    const { view: reader } = this.reader;
    const owner = this.#views.get(at);
    if (JSON.stringify(reader) !== JSON.stringify(owner)) {
      this.wrongViews.push({ at, reader, owner });
    }
  }

  #lastSeq(at: number): number {
    const seqs = this.#session.moments
      .slice(0, at + 1)
      .map((moment) =>
        Math.max(moment.snapshot.seq, moment.type === "entries" ? moment.lastSeq : 0),
      );
    return Math.max(0, ...seqs);
  }
}

export const onTime: Delivery = { delay: 0, isDoubled: false, isTold: true };

function placeOf({ seq, from: n }: LiveFrame): string {
  return formatCursor({ seq, n });
}
