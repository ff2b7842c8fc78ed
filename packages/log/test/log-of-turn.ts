/** The log that a session would have of a turn that was run by itself, and what its readers would have been shown. */
import type { AgentEvent, ChatMessage, Fact } from "@capstan/kernel";
import { EventFeed, entriesOfFacts, entryVersion, isLiveOnly } from "@capstan/log";
import type { Entry, EntryBody, EntryEnvelope, SessionEvent } from "@capstan/log";

/** Entries get numbers and ids from one counter. */
export class WrittenLog {
  readonly entries: Entry[] = [];
  #ids = 0;

  get lastSeq(): number {
    return this.entries.length;
  }

  /** Under this id, or under one of its own. */
  write(body: EntryBody, id?: string): Entry {
    const { v, id: ownId, at } = this.envelope();
    const entry = { v, id: id ?? ownId, at, ...body, seq: this.lastSeq + 1 };
    this.entries.push(entry);
    return entry;
  }

  writeFacts(facts: readonly Fact[], turnId: string): Entry[] {
    let seq = this.lastSeq;
    const envelope = () => ({ ...this.envelope(), seq: ++seq });
    const entries = entriesOfFacts(facts, { turnId, envelope });
    this.entries.push(...entries);
    return entries;
  }

  envelope(): EntryEnvelope {
    this.#ids += 1;
    return { v: entryVersion, id: `e${this.#ids}`, at: 0 };
  }
}

/** Events of a turn, in order. */
export type Shown =
  | { readonly type: "facts"; readonly facts: readonly Fact[] }
  | { readonly type: "event"; readonly event: SessionEvent };

export interface LoggedTurn {
  readonly log: WrittenLog;
  readonly feed: EventFeed;
  /** Events that a reader of the session got: those of entries when they were written, and live-only ones as the kernel showed them. */
  readonly shown: readonly SessionEvent[];
}

/** Writes the facts of a turn that followed this history, and shows what readers would have seen. */
export function logOfTurn(
  happenings: readonly Shown[],
  { history, steering }: { history: readonly ChatMessage[]; steering: readonly ChatMessage[] },
): LoggedTurn {
  const log = new WrittenLog();
  const feed = new EventFeed("c1");
  log.write({ type: "created", agent: "helper" });
  log.write({ type: "history_loaded", messages: history });
  for (const message of steering) log.write({ type: "steer", message }, message.id);
  log.write({ type: "turn_started", turnId: "t1", input: [] });
  const shown = feed.take(log.entries).map((placed) => placed.event);
  for (const happening of happenings) {
    if (happening.type === "facts") {
      const placed = feed.take(log.writeFacts(happening.facts, "t1"));
      shown.push(...placed.map(({ event }) => event));
    } else if (isLiveOnly(happening.event)) shown.push(feed.live(happening.event).event);
  }
  return { log, feed, shown };
}

/** Returns an event of the kernel as readers of the session with its conversation's id get it. */
export function toSessionEvent({ conversationId, ...event }: AgentEvent): SessionEvent {
  return { ...event, sessionId: conversationId };
}

/** The events that come from entries. */
export function withoutLiveOnly(events: readonly SessionEvent[]): SessionEvent[] {
  return events.filter((event) => !isLiveOnly(event));
}
