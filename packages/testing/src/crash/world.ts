/** State that outlives every process: the store, the clock, effects of tools, requests to models, and the faults of the run. */
import type { JsonValue, ProviderRequest, ToolExecuteContext } from "@capstan/kernel";
import type { Entry, EntryType, MaybePromise, SessionRepository } from "@capstan/log";
import { entryVersion, isPromise, memoryRepository } from "@capstan/log";
import { ageOf } from "./ages.ts";
import { checkTranscript } from "../checkers/check-transcript.ts";
import type { SeenContext } from "./asking.ts";
import { SimulatedMcpServer } from "./simulated-mcp.ts";
import type { CrashMoment, CrashPoint, CrashRun } from "./crash-run.ts";
import { DistinctMoments } from "./distinct-moments.ts";
import { decisionOn } from "./decision-on.ts";
import { Effects } from "./effects.ts";
import { toPost } from "./interjection.ts";
import type { InterjectedPost } from "./interjection.ts";
import type { SeenRequest } from "./requests.ts";
import { toSeenRequest } from "./requests.ts";
import type { ClientAction, CrashScenario, CrashToolName } from "./scenario.ts";
import { crashDefaults } from "./scenario.ts";
import { Scheduler } from "./scheduler.ts";
import { SimulatedClock } from "./simulated-clock.ts";
import { checkGuardedRequest } from "./steering.ts";
import { storeWith } from "./store-with.ts";
import { Violations } from "./violation.ts";
import { WatchedSession } from "./watched-session.ts";

/** Main session of a run. All others are forked from it. */
export const sessionId = "s1";

/** Entries that tell whether a call may run. */
const aboutRuns: ReadonlySet<EntryType> = new Set<EntryType>([
  "tool_intent",
  "nested_intent",
  "suspended",
]);

/** Creates the empty store of a run, with the clock of the run. */
export type CreateStore = (options: { readonly now: () => number }) => SessionRepository;

export class World {
  readonly run: CrashRun;
  readonly scenario: CrashScenario;
  readonly clock: SimulatedClock = new SimulatedClock();
  readonly scheduler: Scheduler;
  readonly store: SessionRepository;
  readonly effects: Effects = new Effects();
  readonly requests: SeenRequest[] = [];
  /** Contexts that user code saw. */
  readonly seen: SeenContext[] = [];
  readonly violations: Violations = new Violations();
  readonly mcp: SimulatedMcpServer = new SimulatedMcpServer(this.violations);
  readonly points: CrashPoint[] = [];
  readonly moments: DistinctMoments = new DistinctMoments();
  /** Forks that the client knows, by its names for them. */
  readonly forks: Map<string, WatchedSession> = new Map();
  /** Deleted sessions, as they were then. */
  readonly replaced: WatchedSession[] = [];
  readonly #sessions = new Map<string, WatchedSession>();
  /** Order of entries of all sessions, by session and entry. */
  readonly #order = new Map<string, number>();
  /** Number of leases from `claimDue`. */
  claims = 0;
  /** How often an agent was asked for its instructions. */
  asks = 0;
  /** How often an agent was asked to prepare a step. */
  prepared = 0;
  hits = 0;
  isCounting = true;
  /** True if a process was stopped because it would not have stopped by itself. */
  isHopeless = false;

  constructor(run: CrashRun, createStore: CreateStore = memoryRepository) {
    this.run = run;
    this.scenario = run.scenario;
    this.scheduler = new Scheduler(run.order);
    this.store = this.#watched(createStore({ now: this.clock.now }));
  }

  /** Main session of the run; after a delete the next one of its id. */
  get main(): WatchedSession {
    return this.session(sessionId);
  }

  get leaseMs(): number {
    return this.scenario.leaseMs ?? crashDefaults.leaseMs;
  }

  /** How long a fault pauses a host: past its lease. */
  get pauseMs(): number {
    return this.leaseMs * 1.5;
  }

  get pollMs(): number {
    return this.scenario.pollMs ?? crashDefaults.pollMs;
  }

  /** All sessions, including those unknown to the client. */
  get sessions(): readonly WatchedSession[] {
    return [...this.#sessions.values()];
  }

  /** Number of entries in all sessions. */
  get length(): number {
    return this.sessions.reduce((sum, { stored }) => sum + stored.length, 0);
  }

  session(id: string): WatchedSession {
    let session = this.#sessions.get(id);
    if (session === undefined) {
      session = this.#begin(id, 1);
    }
    return session;
  }

  /** Returns the session of this id and age, deleted or not. */
  aged(id: string, age: number): WatchedSession {
    const current = this.session(id);
    if (current.age === age) return current;
    return this.replaced.find((one) => one.id === id && one.age === age) ?? current;
  }

  /** Returns the session with this incarnation, deleted or not. */
  incarnated(incarnation: string | undefined): WatchedSession | undefined {
    return [...this.sessions, ...this.replaced].find((one) => one.incarnation === incarnation);
  }

  /** Returns the main session, or a fork by its name, once the client knows it. */
  find(name: string | undefined, age = 1): WatchedSession | undefined {
    if (name !== undefined) return this.forks.get(name);
    return this.main.age === age ? this.main : undefined;
  }

  /** True if the target session of an action was deleted. */
  isOver({ session, age = 1 }: Pick<ClientAction, "session" | "age">): boolean {
    return session === undefined && this.main.age > age;
  }

  /** True if sessions are deleted and recreated in this run: then all messages name the age of their session. */
  get hasAges(): boolean {
    return this.scenario.actions.some((action) => action.do === "delete");
  }

  /** Position of an entry among those of all sessions, in the order in which they were written; 0 for the first of each session. */
  momentOf({ id }: WatchedSession, entry: Pick<Entry, "id">): number {
    return this.#order.get(`${id} ${entry.id}`) ?? 0;
  }

  /** True if no host has anything left to do, according to the logs. */
  get isLogAtRest(): boolean {
    return this.sessions.every((session) => {
      const action = session.fold.nextAction(this.clock.now());
      const isQuiet = action.type === "none" && action.wakeAt === undefined;
      return isQuiet && !this.#isUnreported(session);
    });
  }

  /** True for a child whose parent does not know yet how its last turn ended. */
  #isUnreported({ id, fold }: WatchedSession): boolean {
    const { parent } = fold.created ?? {};
    const end = fold.turn?.end;
    if (parent === undefined || end === undefined) return false;
    return !this.session(parent.sessionId).entries.some(
      (entry) =>
        entry.type === "child_reported" && entry.childId === id && entry.childSeq >= end.seq,
    );
  }

  /** Reads the store's current state, synchronously if the store can. */
  look(): MaybePromise<void> {
    const looks = this.sessions.map((session) => session.look()).filter(isPromise);
    return looks.length === 0 ? undefined : Promise.all(looks).then(() => {});
  }

  onPoint(point: CrashPoint): void {
    if (this.isCounting) this.points.push(point);
  }

  onMoment(moment: CrashMoment): void {
    if (this.isCounting) this.moments.add(moment);
  }

  /** Another process posts the scenario's interjection, and ends. */
  interject(): void {
    const { interjection } = this.scenario;
    if (interjection === undefined) return;
    const post = (): void => this.#post(toPost(interjection, this.main.fold));
    const looked = this.main.look();
    if (isPromise(looked)) this.scheduler.waitFor(looked.then(post));
    else post();
  }

  onEffect(
    process: string,
    toolName: CrashToolName,
    input: JsonValue,
    context: ToolExecuteContext,
  ): MaybePromise<void> {
    const { toolCallId, idempotencyKey: key, conversationId } = context;
    const session = this.aged(conversationId, ageOf(input));
    const note = (): void => {
      const { entries } = session;
      // Each run after a suspension has an intent of its own.
      const last = entries.findLast(
        (entry) =>
          aboutRuns.has(entry.type) && "toolCallId" in entry && entry.toolCallId === toolCallId,
      );
      const hadIntent = last !== undefined && last.type !== "suspended";
      const wasApproved = decisionOn(entries, toolCallId)?.isApproved === true;
      const call = { sessionId: conversationId, toolName, toolCallId, key, input };
      this.effects.add({ ...call, process, hadIntent, wasApproved });
    };
    const looked = session.look();
    return isPromise(looked) ? looked.then(note) : note();
  }

  onRequest(request: ProviderRequest): void {
    this.moments.separate();
    this.requests.push(toSeenRequest(request, this.hasAges));
    checkGuardedRequest(this, request);
    for (const { message } of checkTranscript(request.messages)) {
      this.violations.add("transcript", `a request to the model: ${message}`);
    }
  }

  /** Answers an agent's request for instructions: something else each time. */
  async onAsked(id: string): Promise<string> {
    const session = this.session(id);
    await session.look();
    const { prompt } = session.fold;
    if (prompt !== undefined && !this.hasPauses) {
      session.violate(
        "requests",
        `the instructions were requested again, although "${prompt.instructions}" was recorded`,
      );
    }
    this.asks += 1;
    return `Version ${this.asks}`;
  }

  /** True if a process may act on outdated knowledge. */
  get hasPauses(): boolean {
    const { scenario, run } = this;
    return (
      scenario.actions.some((action) => action.do === "pause") ||
      run.faults.some((fault) => fault.do === "pause")
    );
  }

  #begin(id: string, age: number): WatchedSession {
    const { store, violations } = this;
    const of = age === 1 ? "" : `age ${age}`;
    const title = id === sessionId ? of : `fork ${id}`;
    const onAcknowledged = (): void => this.moments.separate();
    const session = new WatchedSession({ id, age, title, store, violations, onAcknowledged });
    this.#sessions.set(id, session);
    return session;
  }

  /** A session that never existed does not end. */
  #end(session: WatchedSession): void {
    if (session.stored.length === 0) return;
    session.isOver = true;
    this.replaced.push(session);
    this.#begin(session.id, session.age + 1);
  }

  #post(post: InterjectedPost | undefined): void {
    if (post === undefined || this.main.entries.length === 0) return;
    const { id, body } = post;
    const entry = { v: entryVersion, id, at: this.clock.now(), ...body };
    const posted = this.store.post(sessionId, entry);
    if (isPromise(posted)) this.scheduler.waitFor(posted);
    this.main.acknowledged.add({ type: "posted", id });
  }

  #note(id: string, entry: Pick<Entry, "id">): void {
    const key = `${id} ${entry.id}`;
    // A repeated entry is the same.
    if (!this.#order.has(key)) this.#order.set(key, this.#order.size + 1);
  }

  /** Records which sessions exist, who appended what, and how often a due session was claimed. */
  #watched(store: SessionRepository): SessionRepository {
    return storeWith(store, {
      create: (id, ...rest) => {
        this.session(id).mayExist = true;
        return store.create(id, ...rest);
      },
      append: (id, entries, options) => {
        const { leases } = this.session(id);
        for (const entry of entries) {
          leases.set(entry.id, options.lease);
          this.#note(id, entry);
        }
        return store.append(id, entries, options);
      },
      post: (id, entry, ...rest) => {
        this.#note(id, entry);
        return store.post(id, entry, ...rest);
      },
      delete: (id) => {
        const session = this.session(id);
        const deleted = afterwards(session.look(), () => store.delete(id));
        return afterwards(deleted, () => this.#end(session));
      },
      sendLive: (...frame) => {
        this.moments.separate();
        store.sendLive?.(...frame);
      },
      claimDue: (query) => {
        const claims = store.claimDue(query);
        if (!isPromise(claims)) {
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

function afterwards<T, U>(
  value: MaybePromise<T>,
  then: (value: T) => MaybePromise<U>,
): MaybePromise<U> {
  return isPromise(value) ? Promise.resolve(value).then(then) : then(value);
}
