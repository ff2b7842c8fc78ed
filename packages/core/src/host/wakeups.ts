/** Wake-ups of a session from the store: entries and live events of other processes, and their requests to follow. */
import { background } from "@capstan/kernel";
import type { SessionRepository, Wakeup } from "@capstan/log";
import type { Readers } from "../following/readers.ts";
import type { SessionLog } from "../owner/session-log.ts";
import type { LiveEvents } from "./live-events.ts";
import type { SessionWork } from "./session-work.ts";

export interface WakeupsOptions {
  readonly repository: SessionRepository;
  readonly log: SessionLog;
  readonly readers: Readers;
  readonly live: LiveEvents;
  readonly work: SessionWork;
}

export class Wakeups {
  readonly #options: WakeupsOptions;
  /** Turn and epoch whose live frames this process subscribed to. */
  #following = "";
  #unsubscribe: (() => void) | undefined;

  constructor(options: WakeupsOptions) {
    this.#options = options;
  }

  /** Subscribes to the store, unless this process has. */
  begin(): void {
    if (this.#unsubscribe === undefined) this.#listen(false);
  }

  end(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }

  /** Reads the entries of other processes, because a wake-up may have been lost. */
  poll(): void {
    if (this.#unsubscribe !== undefined) this.#catchUpLater();
  }

  /** Subscribes to live events of the process that runs the turn, once per turn and owner, if this process has readers. */
  follow(): void {
    const { log, readers, work } = this.#options;
    const { turn } = log.fold;
    if (work.isUnderWay) return;
    if (turn?.isOver !== false || readers.isEmpty || this.#unsubscribe === undefined) return;
    const following = `${turn.turnId} ${turn.epoch ?? ""}`;
    if (following === this.#following) return;
    this.#following = following;
    this.#listen(true);
  }

  #listen(isLive: boolean): void {
    const { repository, log } = this.#options;
    this.#unsubscribe?.();
    const listener = (wakeup: Wakeup): void => this.#take(wakeup);
    this.#unsubscribe = repository.subscribe(log.id, listener, { isLive });
  }

  #take(wakeup: Wakeup): void {
    const { log, readers, live, work } = this.#options;
    switch (wakeup.type) {
      case "changed":
        if (!log.isAppending && this.#isNews(wakeup)) this.#catchUpLater();
        return;
      case "followed":
        if (work.ownedLease !== undefined) live.follow(work.ownedLease);
        return;
      case "live": {
        // This process's own frames come back to it, and may be late.
        if (work.isHolding || wakeup.frame.epoch === work.lastEpoch) return;
        const events = log.feed.frame(wakeup.frame);
        if (events === "gap") return this.#listen(true);
        if (events === "ahead") return this.#catchUpLater();
        for (const event of events) readers.show(event);
        return;
      }
      default:
        return wakeup satisfies never;
    }
  }

  #isNews({ lastSeq = Infinity, incarnation }: Extract<Wakeup, { type: "changed" }>): boolean {
    const { log } = this.#options;
    if (lastSeq > log.fold.seq) return true;
    return incarnation !== undefined && incarnation !== log.incarnation;
  }

  #catchUpLater(): void {
    const { log } = this.#options;
    const catchUp = async (): Promise<void> => log.catchUp();
    // A wake-up that cannot be followed counts as lost.
    background(catchUp(), () => {});
  }
}
