/** Notes and changes of other handles, asked for from time to time: for connections on which PostgreSQL cannot notify. */
import type { Note } from "../watch/outbox.ts";
import { fromPlainText, toPlainText } from "../text/plain-text.ts";
import type { Database } from "./database.ts";
import type { Statements } from "./statements.ts";

const everyMs = 250;
/** Limits polling to a quarter of the time. */
const restFactor = 3;

export interface NotePollsOptions {
  readonly database: Database;
  readonly statements: Statements;
  /** Whose notes are not for this handle. */
  readonly sender: string;
  /** Sessions with listeners here. */
  ids(): Iterable<string>;
  onChanged(id: string, lastSeq: number | undefined, incarnation: string | undefined): void;
  onNotes(notes: readonly Note[]): void;
}

interface SeqRow {
  readonly id: string;
  readonly last_seq: number;
  readonly incarnation: string | null;
}

export class NotePolls {
  readonly #options: NotePollsOptions;
  /** Last known state of each session with listeners: its last seq and incarnation. */
  readonly #known = new Map<string, string>();
  #lastNote: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isWanted = false;

  constructor(options: NotePollsOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#isWanted) return;
    this.#isWanted = true;
    // Notes of the time without listeners are not read.
    this.#lastNote = undefined;
    this.#later(0);
  }

  stop(): void {
    this.#isWanted = false;
    clearTimeout(this.#timer);
  }

  #later(ms: number): void {
    clearTimeout(this.#timer);
    if (!this.#isWanted) return;
    this.#timer = setTimeout(() => {
      const startedAt = performance.now();
      const again = (): void =>
        this.#later(Math.max(everyMs, (performance.now() - startedAt) * restFactor));
      // Wake-ups are hints. Calls that read or write report the store's failure, with a reason.
      Promise.all([this.#lookForChanges(), this.#lookForNotes()]).then(again, again);
    }, ms).unref();
  }

  /** Notes what a reader here was given: later states are changes. Before that, the state at the first look is what is known. */
  saw(id: string, lastSeq: number, incarnation: string | undefined): void {
    if (this.#isWanted && !this.#known.has(id)) this.#known.set(id, stateOf(lastSeq, incarnation));
  }

  async #lookForChanges(): Promise<void> {
    const { database, statements, onChanged } = this.#options;
    const ids = [...this.#options.ids()];
    const wanted = new Set(ids);
    for (const id of this.#known.keys()) if (!wanted.has(id)) this.#known.delete(id);
    if (ids.length === 0) return;
    const rows = await database.query(statements.seqs, [ids.map(toPlainText)]);
    const found = new Map((rows as SeqRow[]).map((row) => [fromPlainText(row.id), row]));
    for (const id of ids) {
      const row = found.get(id);
      const incarnation = fromPlainOrNull(row?.incarnation ?? null);
      const state = row === undefined ? "" : stateOf(row.last_seq, incarnation);
      const known = this.#known.get(id) ?? state;
      this.#known.set(id, state);
      if (known !== state) onChanged(id, row?.last_seq, incarnation);
    }
  }

  async #lookForNotes(): Promise<void> {
    const { database, statements, sender, onNotes } = this.#options;
    if (this.#lastNote === undefined) {
      const [row] = await database.query(statements.lastNote, []);
      this.#lastNote = row?.["n"] as number;
      return;
    }
    for (const row of await database.query(statements.notesAfter, [this.#lastNote])) {
      this.#lastNote = row["n"] as number;
      // Written by a note channel.
      if (row["sender"] !== sender) onNotes(JSON.parse(row["notes"] as string) as Note[]);
    }
  }
}

function stateOf(lastSeq: number, incarnation: string | undefined): string {
  return `${lastSeq} ${incarnation}`;
}

function fromPlainOrNull(text: string | null): string | undefined {
  return text === null ? undefined : fromPlainText(text);
}
