/** Writes that change a session and its lease together: posts that claim it and start its turn, and appends that release it. */
import type {
  Appended,
  AppendOptions,
  Claim,
  ClaimTerms,
  Posted,
  PostedStart,
  PostOptions,
  WriteOptions,
} from "@capstan/log";
import { headColumns, toHeadValues } from "../rows/head-columns.ts";
import type { EntryText, PostTexts } from "../text/entry-text.ts";
import { toPlainOrNull, toPlainText } from "../text/plain-text.ts";
import type { Database, Statement } from "./database.ts";
import type { LeaseRows } from "./lease-rows.ts";
import { givenTo, isFree } from "./lease-rows.ts";
import type { SessionRows } from "./session-rows.ts";
import { isMeant } from "./session-rows.ts";

interface StartedRow {
  readonly n: number;
  readonly epoch: number;
  readonly last_posted: number;
}

interface StartOptions extends WriteOptions {
  readonly claim: ClaimTerms;
  readonly start: PostedStart;
}

/** Call every method within a transaction. */
export class JointWrites {
  readonly #sessions: SessionRows;
  readonly #leases: LeaseRows;
  readonly #start: Statement;

  constructor(database: Database, sessions: SessionRows, leases: LeaseRows) {
    this.#sessions = sessions;
    this.#leases = leases;
    const own = "(SELECT n FROM processes WHERE identity = ?)";
    this.#start = database.prepare(
      `UPDATE sessions SET last_seq = last_seq + ?, last_posted = last_seq + 1,
         (${headColumns}) = (?, ?, ?, ?, ?, ?, ?, ?), ${givenTo(own)}
       WHERE id = ? AND ${isMeant} AND last_seq = ? AND set_aside = 0 AND ${isFree} AND ${own} IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM entries e WHERE e.session = sessions.n AND e.id = ?)
       RETURNING n, epoch, last_posted`,
    );
  }

  append(id: string, entries: readonly EntryText[], options: AppendOptions, now: number): Appended {
    const appended = this.#sessions.append(id, entries, options, now);
    if (options.releases !== true || appended.type === "conflict") return appended;
    if (options.head === undefined) this.#leases.release(options.lease, now);
    return { ...appended, isReleased: true };
  }

  post(id: string, texts: PostTexts, options: PostOptions, now: number): Posted {
    const { claim: terms, start } = options;
    if (terms === undefined) return this.#sessions.post(id, texts.entry, options);
    const { incarnation } = options;
    const started =
      start && this.#postAndStart(id, texts, { incarnation, claim: terms, start }, now);
    return started ?? this.#postStepwise(id, texts, options, terms, now);
  }

  /** In one statement. Undefined if the session cannot be started, or not so simply: then nothing was written. */
  #postAndStart(
    id: string,
    { entry, started }: PostTexts,
    { incarnation, claim, start }: StartOptions,
    now: number,
  ): Posted | undefined {
    const { head } = start;
    const { ttlMs } = claim;
    const owner = toPlainText(claim.owner);
    const own = this.#leases.ownIdentity();
    const row = this.#start.get(
      ...[1 + started.length, ...toHeadValues(head), owner, now + ttlMs, own, now],
      ...[toPlainText(id), toPlainOrNull(incarnation), start.onlyIfSeq, now, owner, own],
      toPlainText(entry.id),
    );
    if (row === undefined) return undefined;
    const { n, epoch, last_posted: seq } = row as unknown as StartedRow;
    this.#sessions.insert(id, n, seq, [entry, ...started]);
    const lease = { sessionId: id, owner: claim.owner, epoch };
    const lastSeq = seq + started.length;
    return { seq, isNew: true, claim: { lease, lastSeq, head }, isStarted: true };
  }

  #postStepwise(
    id: string,
    { entry, started }: PostTexts,
    options: PostOptions,
    { owner, ttlMs }: ClaimTerms,
    now: number,
  ): Posted {
    const posted = this.#sessions.post(id, entry, options);
    if (!posted.isNew) return posted;
    const claim = this.#leases.acquire(id, owner, ttlMs, now);
    if (claim === undefined) return posted;
    const { start } = options;
    if (start === undefined || !mayStart(start, claim, posted)) return { ...posted, claim };
    const { lease } = claim;
    const { head } = start;
    const { lastSeq } = this.#sessions.append(id, started, { lease, head }, now);
    return { ...posted, claim: { lease, lastSeq, head }, isStarted: true };
  }
}

function mayStart({ onlyIfSeq }: PostedStart, { head }: Claim, { seq }: Posted): boolean {
  return seq === onlyIfSeq + 1 && head.setAside === undefined;
}
