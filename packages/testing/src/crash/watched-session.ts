/** One session as stored, up to the last look: its fold, and the client's acknowledgements. */
import type {
  Entry,
  Lease,
  MaybePromise,
  PlacedEvent,
  ReadPage,
  SessionRepository,
  StoredEntry,
} from "@capstan/log";
import { SessionFold, eventsOf, incarnationOf, isPromise, parseEntry } from "@capstan/log";
import { Acknowledgements } from "./acknowledgements.ts";
import type { CrashViolationCode, Violations } from "./violation.ts";

export interface WatchedSessionOptions {
  readonly id: string;
  /** Number of sessions of this id so far, including this one. */
  readonly age: number;
  /** Prefix of its violations; empty for the main session of the run. */
  readonly title: string;
  readonly store: SessionRepository;
  readonly violations: Violations;
  /** Called when the client gets an acknowledgement. */
  onAcknowledged(): void;
}

export class WatchedSession {
  readonly id: string;
  readonly age: number;
  readonly stored: StoredEntry[] = [];
  readonly entries: Entry[] = [];
  readonly events: PlacedEvent[] = [];
  readonly fold: SessionFold = new SessionFold();
  /** Leases under which entries were appended, by entry id. */
  readonly leases: Map<string, Lease> = new Map();
  readonly acknowledged: Acknowledgements;
  readonly #options: WatchedSessionOptions;
  /** True once a process has tried to create it: before that there is nothing to read. */
  mayExist = false;
  /** True if it was deleted: another session is stored under its id. */
  isOver = false;

  constructor(options: WatchedSessionOptions) {
    this.id = options.id;
    this.age = options.age;
    this.acknowledged = new Acknowledgements(options.onAcknowledged);
    this.#options = options;
  }

  /** Reads the store's current state, synchronously if the store can. */
  look(): MaybePromise<void> {
    if (!this.mayExist || this.isOver) return undefined;
    try {
      const page = this.#options.store.read(this.id, { after: this.stored.length });
      if (!isPromise(page)) return this.#takePage(page);
      return page.then(
        (later) => this.#takePage(later),
        () => {},
      );
    } catch {
      // Nothing is created yet.
      return undefined;
    }
  }

  /** True if it was stored at the last look, or was deleted since. */
  get wasThere(): boolean {
    return this.stored.length > 0 || this.isOver;
  }

  get incarnation(): string | undefined {
    const { created } = this.fold;
    return created && incarnationOf(created);
  }

  violate(code: CrashViolationCode, message: string): void {
    const { title, violations } = this.#options;
    violations.add(code, title === "" ? message : `${title}: ${message}`);
  }

  /** Returns the first of the turns that continue each other, up to this one. */
  rootOf(turnId: string): string {
    const started = this.entries.find(
      (entry) => entry.type === "turn_started" && entry.turnId === turnId,
    );
    const before = started?.type === "turn_started" ? started.continues : undefined;
    return before === undefined ? turnId : this.rootOf(before);
  }

  #takePage({ entries, lastSeq }: ReadPage): MaybePromise<void> {
    for (const stored of entries) this.#take(stored);
    if (entries.length > 0 && this.stored.length < lastSeq) return this.look();
    return undefined;
  }

  #take(stored: StoredEntry): void {
    // Two looks may overlap.
    if (stored.seq <= this.stored.length) return;
    this.stored.push(stored);
    const entry = parseEntry(stored);
    if (entry === undefined) return;
    this.entries.push(entry);
    this.events.push(...eventsOf(this.id, [entry], this.fold));
  }
}
