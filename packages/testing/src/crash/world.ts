/** What outlives every process: the store, the clock, what tools did, what the client was told, and the faults of the run. */
import type { ChatMessage, ToolExecuteContext } from "@capstan/kernel";
import type {
  Entry,
  Lease,
  MaybePromise,
  NewEntry,
  PlacedEvent,
  PostedBody,
  ReadPage,
  SessionRepository,
  StoredEntry,
} from "@capstan/log";
import { SessionFold, entryVersion, eventsOf, memoryRepository, parseEntry } from "@capstan/log";
import { checkTranscript } from "../check-transcript.ts";
import { Acknowledgements } from "./acknowledgements.ts";
import type { CrashPoint, CrashRun } from "./crash-run.ts";
import { Effects } from "./effects.ts";
import type { CrashScenario, CrashToolName, Interjection } from "./scenario.ts";
import { crashDefaults } from "./scenario.ts";
import { Scheduler } from "./scheduler.ts";
import { SimulatedClock } from "./simulated-clock.ts";
import { storeWith } from "./store-with.ts";
import { Violations } from "./violation.ts";

/** A run has one session. */
export const sessionId = "s1";

/** Makes the store that a run works on, empty, with the clock of the run. */
export type CreateStore = (options: { readonly now: () => number }) => SessionRepository;

export class World {
  readonly run: CrashRun;
  readonly scenario: CrashScenario;
  readonly clock: SimulatedClock = new SimulatedClock();
  readonly scheduler: Scheduler;
  readonly store: SessionRepository;
  readonly effects: Effects = new Effects();
  readonly acknowledged: Acknowledgements = new Acknowledgements();
  readonly violations: Violations = new Violations();
  readonly points: CrashPoint[] = [];
  /** The lease under which each entry was appended, by its id. */
  readonly leases: Map<string, Lease> = new Map();
  /** What the store holds, as far as it was looked at, and what follows from it. */
  readonly stored: StoredEntry[] = [];
  readonly entries: Entry[] = [];
  readonly events: PlacedEvent[] = [];
  readonly fold: SessionFold = new SessionFold();
  /** Leases that `claimDue` gave. */
  claims = 0;
  hits = 0;
  isCounting = true;
  /** A process was stopped because it would not have stopped by itself. */
  isHopeless = false;

  constructor(run: CrashRun, createStore: CreateStore = memoryRepository) {
    this.run = run;
    this.scenario = run.scenario;
    this.scheduler = new Scheduler(run.order);
    this.store = this.#watched(createStore({ now: this.clock.now }));
  }

  get leaseMs(): number {
    return this.scenario.leaseMs ?? crashDefaults.leaseMs;
  }

  /** How long a host that is paused by a fault stands still: past its lease. */
  get pauseMs(): number {
    return this.leaseMs * 1.5;
  }

  get pollMs(): number {
    return this.scenario.pollMs ?? crashDefaults.pollMs;
  }

  /** Whether nothing is left to do for any host, as the log has it. */
  get isLogAtRest(): boolean {
    const action = this.fold.nextAction(this.clock.now());
    return action.type === "none" && action.wakeAt === undefined;
  }

  /** Looks at what the store holds now, at once if the store can. */
  look(): MaybePromise<void> {
    try {
      const page = this.store.read(sessionId, { after: this.stored.length });
      if (!(page instanceof Promise)) return this.#takePage(page);
      return page.then(
        (later) => this.#takePage(later),
        () => {},
      );
    } catch {
      // Nothing is created yet.
      return undefined;
    }
  }

  onPoint(point: CrashPoint): void {
    if (this.isCounting) this.points.push(point);
  }

  /** Another process posts what the scenario interjects, and is gone. */
  interject(): void {
    const { interjection } = this.scenario;
    if (interjection === undefined) return;
    const looked = this.look();
    if (looked instanceof Promise) {
      this.scheduler.waitFor(looked.then(() => this.#post(interjection)));
    } else this.#post(interjection);
  }

  onEffect(
    process: string,
    toolName: CrashToolName,
    { toolCallId, idempotencyKey: key }: ToolExecuteContext,
  ): MaybePromise<void> {
    const note = (): void => {
      const about = this.entries.filter(
        (entry) => "toolCallId" in entry && entry.toolCallId === toolCallId,
      );
      const hadIntent = about.some(({ type }) => type === "tool_intent");
      const wasApproved = about.some((entry) => entry.type === "decision" && entry.isApproved);
      this.effects.add({ toolName, toolCallId, key, process, hadIntent, wasApproved });
    };
    const looked = this.look();
    return looked instanceof Promise ? looked.then(note) : note();
  }

  onRequest(messages: readonly ChatMessage[]): void {
    for (const { message } of checkTranscript(messages)) {
      this.violations.add("transcript", `a request to the model: ${message}`);
    }
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
    this.events.push(...eventsOf(sessionId, [entry], this.fold));
  }

  #post(interjection: Interjection): void {
    const { id, body } = this.#toPosted(interjection);
    if (body === undefined || this.entries.length === 0) return;
    const entry = { v: entryVersion, id, at: this.clock.now(), ...body };
    const posted = this.store.post(sessionId, entry);
    if (posted instanceof Promise) this.scheduler.waitFor(posted);
    this.acknowledged.add({ type: "posted", id });
  }

  #toPosted(interjection: Interjection): { readonly id: string; readonly body?: PostedBody } {
    if (interjection.do === "cancel") {
      const { acceptedInput, turn } = this.fold;
      const turnId = acceptedInput?.id ?? turn?.turnId;
      if (turnId === undefined) return { id: "" };
      return { id: "interjected", body: { type: "cancel_requested", turnId } };
    }
    const { id, text } = interjection;
    const message = { role: "user", id, content: text } as const;
    switch (interjection.do) {
      case "send":
        return { id, body: { type: "input", messages: [message] } };
      case "steer":
        return { id, body: { type: "steer", message } };
      case "followUp":
        return { id, body: { type: "follow_up", message } };
      default:
        return interjection satisfies never;
    }
  }

  /** Notes who appended what, and how often a due session was given away. */
  #watched(store: SessionRepository): SessionRepository {
    const note = (entries: readonly NewEntry[], lease: Lease): void => {
      for (const { id } of entries) this.leases.set(id, lease);
    };
    return storeWith(store, {
      append: (id, entries, options) => {
        note(entries, options.lease);
        return store.append(id, entries, options);
      },
      claimDue: (query) => {
        const claims = store.claimDue(query);
        if (!(claims instanceof Promise)) {
          this.claims += claims.length;
          return claims;
        }
        return claims.then((later) => {
          this.claims += later.length;
          return later;
        });
      },
    });
  }
}
