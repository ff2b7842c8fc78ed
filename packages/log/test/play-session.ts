/** Plays a session from its first input until nothing is left to do, in one process after another. */
import { runTurn } from "@capstan/kernel";
import type { Fact, Journal, PendingCall } from "@capstan/kernel";
import { EventFeed, isLiveOnly } from "@capstan/log";
import type {
  Entry,
  LiveFrame,
  NextAction,
  PlacedEvent,
  SessionEvent,
  StoredEntry,
} from "@capstan/log";
import { scriptedProvider } from "@capstan/testing";
import { WrittenLog } from "./log-of-turn.ts";
import {
  alterTwos,
  impatientTimer,
  post,
  replyFrom,
  sessionTools,
} from "./session-surroundings.ts";
import type { Change, SessionScenario } from "./session-scenarios.ts";
import type { Effect } from "./session-surroundings.ts";

/** Moments at the owner, in order, with the frame that a new follower would have got then. */
export type Moment = { readonly snapshot: LiveFrame } & (
  | { readonly type: "entries"; readonly lastSeq: number }
  | { readonly type: "live"; readonly placed: PlacedEvent; readonly frame: LiveFrame | undefined }
);

/** One turn as one process ran it to its end. */
interface FinishedRun {
  readonly turnId: string;
  readonly events: readonly SessionEvent[];
  /** Entries that it wrote, and what was posted in the meantime. */
  readonly entries: readonly Entry[];
  readonly isResumed: boolean;
}

export interface PlayedSession {
  readonly entries: readonly Entry[];
  readonly effects: readonly Effect[];
  readonly moments: readonly Moment[];
  readonly runs: readonly FinishedRun[];
}

interface World {
  readonly scenario: SessionScenario;
  readonly log: WrittenLog;
  readonly effects: Effect[];
  readonly moments: Moment[];
  readonly runs: FinishedRun[];
  readonly changes: Change[];
  journalCalls: number;
  inputs: number;
  ids: number;
}

const maxProcesses = 20;

export async function playSession(scenario: SessionScenario): Promise<PlayedSession> {
  const log = new WrittenLog();
  const world: World = {
    scenario,
    log,
    effects: [],
    moments: [],
    runs: [],
    changes: [...scenario.changes],
    journalCalls: 0,
    inputs: 0,
    ids: 0,
  };
  log.write({ type: "created", agent: "helper" });
  const crashes = [...scenario.crashes];
  for (let epoch = 1; epoch <= maxProcesses; epoch += 1) {
    const outcome = await new Process(world, epoch, crashes.shift()).work();
    if (outcome === "done") return { ...world, entries: log.entries };
  }
  throw new Error("The session does not come to rest");
}

/** Entries as a store returns them. */
export function stored(entries: readonly Entry[]): StoredEntry[] {
  // The written value is an object with an envelope.
  return JSON.parse(JSON.stringify(entries)) as StoredEntry[];
}

class Process {
  readonly #world: World;
  readonly #feed = new EventFeed("s1");
  readonly #crash: SessionScenario["crashes"][number] | undefined;
  readonly #died = Promise.withResolvers<"crashed">();
  readonly #epoch: number;
  #isDead = false;
  #calls = 0;
  #controller = new AbortController();

  constructor(world: World, epoch: number, crash: SessionScenario["crashes"][number] | undefined) {
    this.#world = world;
    this.#crash = crash;
    this.#epoch = epoch;
    this.#feed.own(epoch);
    this.#feed.takeStored(stored(world.log.entries));
  }

  async work(): Promise<"done" | "crashed"> {
    for (let turns = 0; turns < 100; turns += 1) {
      this.#catchUp();
      const action = this.#feed.fold.nextAction(0);
      if (action.type === "none") {
        if (!this.#actOutside()) return "done";
      } else if (action.type === "return") {
        const outcome = { type: "returned", reason: "cleared" } as const;
        const turnId = this.#feed.fold.turn?.turnId ?? "";
        this.#write(() => [
          this.#world.log.write({ type: "queue_settled", turnId, ids: action.ids, outcome }),
        ]);
      } else if (action.type === "compact" || action.type === "attend_children")
        throw new Error("This is never called");
      else if ((await this.#runTurn(action)) === "crashed") return "crashed";
    }
    throw new Error("There is no end of turns");
  }

  async #runTurn(
    action: Exclude<NextAction, { type: "none" | "return" | "compact" | "attend_children" }>,
  ): Promise<"crashed" | void> {
    const { scenario, log, effects, runs } = this.#world;
    const { fold } = this.#feed;
    const { turnId } = action;
    const input = action.type === "start" ? fold.messagesOf(action.input) : [];
    const history = action.type === "start" ? fold.transcript.startPoint() : undefined;
    this.#controller = new AbortController();
    const before = log.lastSeq;
    this.#write(() => [log.write(this.#opening(action)), ...this.#prompt(turnId)]);
    const { messages, open } = history ?? fold.transcript.entryPoint();
    // The kernel does not know the entry that resumes a turn.
    const from = action.type === "resume" ? log.lastSeq : before;
    const events: SessionEvent[] = [];
    this.#heedCancel();
    const running = runTurn(
      {
        provider: scriptedProvider(Array.from({ length: 40 }, () => replyFrom(scenario))),
        messages,
        input,
        tools: sessionTools(effects, () => this.#isDead),
        dispatch: { mode: scenario.mode, before: alterTwos },
        conversationId: "s1",
        turnId,
        limits: {
          retry: { maxAttempts: 100 },
          maxSteps: scenario.maxSteps,
          closing: { prompt: "Report" },
        },
        signal: this.#controller.signal,
        clock: { timer: impatientTimer, newId: () => `id${++this.#world.ids}` },
        emit: (event) => {
          if (this.#isDead) return;
          events.push(event);
          if (isLiveOnly(event)) this.#showLive(event);
        },
        journal: {
          record: this.#journal(turnId),
          answers: () => fold.answers(),
          ...(open !== undefined && { open }),
          ...(action.type !== "start" &&
            fold.turn && { prior: fold.turn.prior(action.type === "resume") }),
          ...(action.type === "continue" && { continues: action.continues }),
        },
        drainSteering: () => fold.queues.nextSteering().map((item) => item.message),
      },
      { sessionId: "s1", turnId },
    );
    const ended = await Promise.race([running, this.#died.promise]);
    if (ended === "crashed") return "crashed";
    if (ended.error?.code === "journal_failed") throw new Error(ended.error.message);
    const entries = log.entries.slice(from);
    runs.push({ turnId, events, entries, isResumed: action.type === "resume" });
  }

  #opening(
    action: Exclude<NextAction, { type: "none" | "return" | "compact" | "attend_children" }>,
  ) {
    const { turnId } = action;
    if (action.type === "resume")
      return { type: "turn_resumed", turnId, epoch: this.#epoch } as const;
    if (action.type === "start")
      return { type: "turn_started", turnId, input: action.input } as const;
    return { type: "turn_started", turnId, input: [], continues: action.continues } as const;
  }

  /** Recorded at the first request, and when it has changed. */
  #prompt(turnId: string): Entry[] {
    const { config, prompt } = this.#feed.fold;
    const { instructions = "Be kind." } = config;
    if (prompt?.instructions === instructions) return [];
    return [this.#world.log.write({ type: "prompt", turnId, instructions, toolsHash: "some" })];
  }

  #journal(turnId: string): Journal {
    const { scenario, log } = this.#world;
    return (facts) => {
      if (this.#isDead) return new Promise<never>(() => {});
      this.#catchUp();
      const end = facts.at(-1);
      if (end?.type === "turn_ended" && this.#mustGoOn(end)) {
        this.#write(() => log.writeFacts(facts.slice(0, -1), turnId));
        return "reopen";
      }
      const isLast = this.#calls++ === this.#crash?.at;
      if (!isLast) {
        this.#write(() => log.writeFacts(facts, turnId));
        this.#postWhatIsDue();
      } else {
        // It is in the log, but this process never knows.
        if (this.#crash.isRecorded) log.writeFacts(facts, turnId);
        this.#isDead = true;
        this.#died.resolve("crashed");
        return new Promise<never>(() => {});
      }
      return scenario.isJournalAsync ? Promise.resolve() : undefined;
    };
  }

  /** Whether something was posted that the turn has to heed before it may end. */
  #mustGoOn(end: Extract<Fact, { type: "turn_ended" }>): boolean {
    const { fold } = this.#feed;
    if (end.finishReason === "aborted" || end.error !== undefined) return false;
    if (fold.turn?.isCancelled === true) return true;
    return end.pending !== undefined && fold.answers().length > 0;
  }

  #write(write: () => readonly Entry[]): void {
    if (write().length > 0) this.#catchUp();
  }

  /** Takes what was written, by this process or by others. */
  #catchUp(): void {
    const { log, scenario } = this.#world;
    const unseen = log.entries.slice(this.#feed.fold.seq);
    if (unseen.length === 0) return;
    this.#feed.take(unseen);
    this.#note({ type: "entries", lastSeq: log.lastSeq });
    this.#heedCancel();
    if (scenario.answers === "early") this.#answer(this.#feed.fold.pending);
  }

  #showLive(event: SessionEvent): void {
    const placed = this.#feed.live(event);
    this.#note({ type: "live", placed, frame: this.#feed.toFrame([placed]) });
  }

  #note(
    moment:
      | { type: "entries"; lastSeq: number }
      | Omit<Extract<Moment, { type: "live" }>, "snapshot">,
  ): void {
    this.#world.moments.push({ ...moment, snapshot: this.#feed.snapshotFrame() });
  }

  #heedCancel(): void {
    if (this.#feed.fold.turn?.isCancelled === true) this.#controller.abort();
  }

  /** Actions of users when the session is at rest; false if none are left. */
  #actOutside(): boolean {
    const { scenario, log } = this.#world;
    const { fold } = this.#feed;
    if (fold.pending.length > 0) {
      this.#answer(scenario.answers === "one by one" ? fold.pending.slice(0, 1) : fold.pending);
      return true;
    }
    // Something is said before anything is changed.
    const change = this.#world.inputs === 0 ? undefined : this.#world.changes.shift();
    if (change !== undefined) {
      const id = `change${this.#world.changes.length}`;
      this.#write(() => [post(log, change, id, "")]);
      return true;
    }
    if (this.#world.inputs === scenario.inputs) return false;
    this.#world.inputs += 1;
    const id = `in${this.#world.inputs}`;
    const message = { role: "user", id: `${id}-message`, content: "Hello" } as const;
    this.#write(() => [log.write({ type: "input", messages: [message] }, id)]);
    return true;
  }

  #answer(pending: readonly PendingCall[]): void {
    const { scenario, log } = this.#world;
    for (const { toolCallId, kind, hash } of pending) {
      const result = { isError: false, output: "answered" };
      const isApproved = !scenario.isDenying;
      this.#write(() => [
        kind === "execution"
          ? log.write({ type: "answer", toolCallId, result })
          : log.write({ type: "decision", toolCallId, hash, isApproved }),
      ]);
    }
  }

  /** Followers may read it before the owner does. */
  #postWhatIsDue(): void {
    const { scenario, log } = this.#world;
    const call = this.#world.journalCalls++;
    const turnId = this.#feed.fold.turn?.turnId ?? "";
    for (const [index, { at, what }] of scenario.posts.entries()) {
      if (at !== call) continue;
      post(log, what, `post${index}`, turnId);
      this.#note({ type: "entries", lastSeq: log.lastSeq });
    }
  }
}
