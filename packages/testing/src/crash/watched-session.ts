/** One session as the store holds it, as far as it was looked at: what follows from it, and what the client was told of it. */
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
  /** How many sessions of this id there were before it, and itself. */
  readonly age: number;
  /** Said of it in front of what is wrong with it; nothing for the session that the run is about. */
  readonly title: string;
  readonly store: SessionRepository;
  readonly violations: Violations;
}

export class WatchedSession {
  readonly id: string;
  readonly age: number;
  readonly stored: StoredEntry[] = [];
  readonly entries: Entry[] = [];
  readonly events: PlacedEvent[] = [];
  readonly fold: SessionFold = new SessionFold();
  /** The lease under which each entry was appended, by its id. */
  readonly leases: Map<string, Lease> = new Map();
  readonly acknowledged: Acknowledgements = new Acknowledgements();
  readonly #options: WatchedSessionOptions;
  /** Whether somebody has tried to create it: before that there is nothing to look at. */
  mayExist = false;
  /** Whether it was deleted: what is stored under its id is another one. */
  isOver = false;

  constructor(options: WatchedSessionOptions) {
    this.id = options.id;
    this.age = options.age;
    this.#options = options;
  }

  /** Reads what the store holds now, at once if the store can. */
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

  /** Whether it was stored when it was last looked at, or is deleted by now. */
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

  /** The first of the turns that continue each other, up to this one. */
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
