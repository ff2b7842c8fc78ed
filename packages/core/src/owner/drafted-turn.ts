/**
 * A turn that is planned before its input is in the log. The first append of the turn is the post of the input: one write stores the input, takes
 * the lease and starts the turn. Until then nothing of it is folded, shown or asked. If something else comes first, the input is posted alone.
 */
import type { ChatMessage, LoopClock } from "@capstan/kernel";
import type {
  Claim,
  ClaimTerms,
  Entry,
  InputBody,
  MaybePromise,
  OwnedBody,
  Posted,
  PostedStart,
  SessionFold,
  SessionHead,
  TurnOrigin,
} from "@capstan/log";
import { andThen, checkEntries, isRepositoryError, orElse, originOfInput } from "@capstan/log";
import { Envelopes } from "./envelopes.ts";
import type { HeldLease } from "./held-lease.ts";
import type { SessionLog } from "./session-log.ts";
import type { TurnAction } from "./turn-input.ts";

export interface DraftOptions {
  readonly id: string;
  readonly body: InputBody;
  readonly log: SessionLog;
  /** Not given yet. */
  readonly heldLease: HeldLease;
  readonly terms: ClaimTerms;
}

/** Whether an input that is posted to a session at rest starts a turn that follows from it alone. */
export function mayBeDrafted(
  { created, acceptsInput, children, queues }: SessionFold,
  { messages, call, budget }: InputBody,
): boolean {
  if (created === undefined || !acceptsInput || messages.length === 0) return false;
  // Parents are told of a turn before it starts, and budgets of a tree follow from the log.
  if (created.parent !== undefined || call !== undefined || budget !== undefined) return false;
  return children.isAtRest && queues.isEmpty;
}

const none: readonly Entry[] = [];

export class DraftedTurn {
  readonly action: TurnAction;
  readonly origin: TurnOrigin;
  /** Messages that the turn starts with. */
  readonly input: readonly ChatMessage[];
  readonly opening: OwnedBody;
  readonly envelopes: Envelopes;
  readonly #options: DraftOptions;
  /** Seq that the input gets if nothing else is posted. */
  readonly #seq: number;
  readonly #begun: Promise<void>;
  readonly #resolve: () => void;
  #posted: (() => MaybePromise<Posted>) | undefined;
  #entries: readonly Entry[] = none;
  #isBegun = false;
  #isStarted = false;

  constructor(options: DraftOptions) {
    const { id, body, log } = options;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#begun = promise;
    this.#resolve = resolve;
    this.#options = options;
    this.#seq = log.fold.seq + 1;
    this.action = { type: "start", turnId: id, input: [id] };
    this.origin = originOfInput(body);
    this.input = body.messages;
    this.opening = { type: "turn_started", turnId: id, input: [id] };
    // No epoch is known yet, and no other entry is named after this one.
    this.envelopes = new Envelopes(log, `${id}~`, this.#seq);
  }

  /** Whether the lease is held, and the log has the input. */
  get isBegun(): boolean {
    return this.#isBegun;
  }

  /** Resolves once that is so, or the lease is lost. */
  get begun(): Promise<void> {
    return this.#begun;
  }

  /** The input is the last entry that the head has seen. */
  headOf(head: SessionHead): SessionHead {
    return { ...head, seen: this.#seq };
  }

  /** Pauses only once the input is posted: other work of the process must not delay that. */
  clockOf<C extends LoopClock>(clock: C): C {
    const breathe = (): Promise<void> | undefined =>
      this.#posted === undefined ? undefined : clock.breathe?.();
    return clock.breathe === undefined ? clock : { ...clock, breathe };
  }

  /** Stores the first entries of the turn: with its input, unless that was posted alone. */
  async append(entries: readonly Entry[], head: SessionHead): Promise<"appended" | "conflict"> {
    const { log, heldLease } = this.#options;
    if (this.#posted === undefined) this.#postWith(entries, head);
    await this.begun;
    // The answer may have taken longer than the lease.
    await heldLease.confirm(log.now());
    heldLease.check(log.now());
    if (this.#isStarted) return "appended";
    if (log.fold.seq !== this.#seq) return "conflict";
    return log.append(entries, { lease: heldLease.lease, head, isUpToDate: true });
  }

  /** Posts the input, unless the turn has. */
  post(): MaybePromise<Posted> {
    this.#posted ??= later(() => this.#post(undefined));
    return this.#posted();
  }

  /** Begins the work under the lease. Returns once the log is read as far as it was then. */
  begin(claim: Claim, isStarted: boolean): MaybePromise<void> {
    const { log } = this.#options;
    this.envelopes.own(claim.lease.epoch);
    this.#isStarted = isStarted;
    if (isStarted) log.takeStarted(this.#entries);
    // The draft lives as long as its turn, and the log has them.
    this.#entries = none;
    const isRead = claim.lastSeq === log.fold.seq;
    return andThen(isRead ? undefined : log.catchUp(), () => {
      this.#isBegun = true;
      this.#resolve();
    });
  }

  /** The lease was not given, or is of no use. */
  drop(): void {
    this.#options.heldLease.lose();
    this.#resolve();
  }

  #postWith(entries: readonly Entry[], head: SessionHead): void {
    this.#entries = entries;
    const start = { entries, head, onlyIfSeq: this.#seq - 1 };
    const post = (): MaybePromise<Posted> => {
      checkEntries(this.#options.log.id, entries);
      return this.#post(start);
    };
    this.#posted = later(() =>
      orElse(post, (thrown) => {
        // The turn cannot be recorded: it ends in an error, once its input is in the log.
        if (isRepositoryError(thrown) && thrown.code === "invalid_entry")
          return this.#post(undefined);
        throw thrown;
      }),
    );
  }

  #post(start: PostedStart | undefined): MaybePromise<Posted> {
    const { id, body, log, terms } = this.#options;
    return log.post(id, body, terms, start);
  }
}

/** Calls the function at once, and returns one that returns or throws the same. */
function later<T>(call: () => T): () => T {
  try {
    const value = call();
    return () => value;
  } catch (thrown) {
    return () => {
      throw thrown;
    };
  }
}
