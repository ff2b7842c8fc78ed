/**
 * Appends of many sessions in one statement, if many come at a time: one transaction and one round trip for all of them. A few at a time are
 * sent as they come, so that none waits for another without need.
 */
import type { HeadValues } from "../rows/head-columns.ts";
import type { EntryText } from "../text/entry-text.ts";
import { toPlainText } from "../text/plain-text.ts";
import { isRefusal } from "./connections.ts";
import type { Database } from "./database.ts";
import type { Statements } from "./statements.ts";

export interface GroupedAppend {
  readonly id: string;
  readonly epoch: number;
  /** Null: whatever the last seq is. */
  readonly onlyIfSeq: number | null;
  readonly entries: readonly EntryText[];
  /** Undefined: the stored head stays. */
  readonly head: HeadValues | undefined;
  /** With a head only. */
  readonly isReleased: boolean;
}

interface Waiting extends GroupedAppend {
  readonly resolve: (lastSeq: number | undefined) => void;
  readonly reject: (thrown: unknown) => void;
}

/** Statements under way at which further appends wait, and then go together. */
const maxUnderWay = 4;
/** Limits of one statement. */
const maxAppends = 100;
const maxChars = 500_000;

export class AppendGroups {
  readonly #database: Database;
  readonly #statements: Statements;
  #waiting: Waiting[] = [];
  /** Sessions whose append is under way: the next one waits for it, so that two statements never wait for each other's rows. */
  readonly #busy = new Set<string>();
  #underWay = 0;

  constructor(database: Database, statements: Statements) {
    this.#database = database;
    this.#statements = statements;
  }

  /** Resolves with the last seq, or undefined if the lease is over or the log has grown. */
  append(append: GroupedAppend): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...append, resolve, reject });
      this.#sendNext();
    });
  }

  #sendNext(): void {
    if (this.#underWay >= maxUnderWay) return;
    const group = this.#takeGroup();
    if (group.length === 0) return;
    this.#underWay += 1;
    // Failures are reported to the callers of `append`.
    this.#send(group).then(
      () => this.#onSent(group),
      () => this.#onSent(group),
    );
  }

  #onSent(group: readonly Waiting[]): void {
    this.#underWay -= 1;
    for (const { id } of group) this.#busy.delete(id);
    this.#sendNext();
  }

  #takeGroup(): readonly Waiting[] {
    const group: Waiting[] = [];
    const rest: Waiting[] = [];
    let chars = 0;
    for (const append of this.#waiting) {
      const isFull = group.length === maxAppends || chars > maxChars;
      if (isFull || this.#busy.has(append.id)) {
        rest.push(append);
        continue;
      }
      group.push(append);
      this.#busy.add(append.id);
      for (const { text } of append.entries) chars += text.length;
    }
    this.#waiting = rest;
    return group;
  }

  async #send(group: readonly Waiting[]): Promise<void> {
    const [first] = group;
    if (group.length === 1 && first !== undefined) return this.#sendOne(first);
    try {
      const rows = await this.#database.query(this.#statements.appendAll, toValues(group));
      const seqs = new Map(rows.map((row) => [row["id"], row["last_seq"] as number]));
      for (const { id, resolve } of group) resolve(seqs.get(toPlainText(id)));
    } catch (thrown) {
      // Nothing was written because of one of them: each gets an answer of its own.
      if (isRefusal(thrown)) await Promise.all(group.map((append) => this.#sendOne(append)));
      else for (const { reject } of group) reject(thrown);
    }
  }

  async #sendOne(waiting: Waiting): Promise<void> {
    const { id, epoch, onlyIfSeq, entries, head, isReleased, resolve, reject } = waiting;
    const { append, appendWithHead, appendAndRelease } = this.#statements;
    const withHead = isReleased ? appendAndRelease : appendWithHead;
    const ids = entries.map((each) => toPlainText(each.id));
    const texts = entries.map(({ text }) => text);
    const values = [toPlainText(id), epoch, onlyIfSeq, ids, texts];
    try {
      const [row] = await (head === undefined
        ? this.#database.query(append, values)
        : this.#database.query(withHead, [...values, ...head]));
      resolve(row?.["last_seq"] as number | undefined);
    } catch (thrown) {
      reject(thrown);
    }
  }
}

/** Positions in `HeadValues`. */
const headIndexes = [0, 1, 2, 3, 4, 5, 6, 7] as const;

/** A list for each column: of sessions, and of entries. */
function toValues(group: readonly Waiting[]): (string | null)[][] {
  const rows = group.flatMap(({ id, entries }) =>
    entries.map((entry, index) => ({ session: toPlainText(id), place: index + 1, entry })),
  );
  return [
    group.map(({ id }) => toPlainText(id)),
    group.map(({ epoch }) => String(epoch)),
    group.map(({ entries }) => String(entries.length)),
    rows.map(({ session }) => session),
    rows.map(({ place }) => String(place)),
    rows.map(({ entry }) => toPlainText(entry.id)),
    rows.map(({ entry }) => entry.text),
    group.map(({ onlyIfSeq }) => toText(onlyIfSeq)),
    group.map(({ isReleased }) => String(isReleased)),
    ...headIndexes.map((index) => group.map(({ head }) => toText(head?.[index]))),
  ];
}

function toText(value: string | number | null | undefined): string | null {
  return value === null || value === undefined ? null : String(value);
}
