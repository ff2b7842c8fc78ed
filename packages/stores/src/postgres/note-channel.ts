/** Notes between the handles of one schema, on PostgreSQL's notification channel. */
import { randomUUID } from "node:crypto";
import type { Note } from "../watch/outbox.ts";
import { fromPlainText, toPlainText } from "../text/plain-text.ts";
import type { Database } from "./database.ts";
import type { Statements } from "./statements.ts";

/** A notification holds less than 8,000 bytes; longer ones go into an unlogged table. */
const maxPayloadBytes = 7_900;

/** If listening starts later than this, the database was unavailable, and other processes may have written in the meantime. */
const promptMs = 1_000;

/** `ref` is the number of the row with the notes. */
type Payload =
  | { readonly sender: string; readonly notes: readonly Note[] }
  | { readonly sender: string; readonly ref: number };

export interface NoteChannelOptions {
  readonly database: Database;
  readonly statements: Statements;
  /** Receives notes of other handles; frames also from this one, once it is known that their owner has no successor. */
  onNotes(notes: readonly Note[]): void;
  /** Called after notes of others may have been missed. */
  onGap(): void;
}

export class NoteChannel {
  readonly #options: NoteChannelOptions;
  readonly #sender = randomUUID();
  #isListening = false;
  /** Processes notes in order of arrival, though some have to be fetched. */
  #receiving: Promise<void> = Promise.resolve();

  constructor(options: NoteChannelOptions) {
    this.#options = options;
  }

  listen(): void {
    if (this.#isListening) return;
    this.#isListening = true;
    let askedAt = performance.now();
    this.#options.database.listen({
      onPayload: (payload) => this.#receive(payload),
      onListening: () => {
        if (performance.now() - askedAt > promptMs) this.#options.onGap();
        // Whenever listening starts again, notes may have been missed.
        askedAt = -Infinity;
      },
    });
  }

  async send(notes: readonly Note[]): Promise<void> {
    const current = await this.#withoutOld(notes);
    if (current.length === 0) return;
    this.#options.onNotes(current.filter(({ type }) => type === "live"));
    const { database, statements } = this.#options;
    const payload = toText({ sender: this.#sender, notes: current });
    const isLong = Buffer.byteLength(payload) > maxPayloadBytes;
    const sent = isLong ? await this.#store(current) : payload;
    await database.query(statements.notify, [database.channel, sent]);
  }

  /** Drops frames of owners that have a successor. */
  async #withoutOld(notes: readonly Note[]): Promise<Note[]> {
    const ids = notes.flatMap((note) => (note.type === "live" ? [toPlainText(note.id)] : []));
    if (ids.length === 0) return [...notes];
    const { database, statements } = this.#options;
    const rows = await database.query(statements.epochs, [ids]);
    const epochs = new Map(
      rows.map(({ id, epoch }) => [fromPlainText(id as string), epoch as number]),
    );
    return notes.flatMap((note): Note[] => {
      if (note.type !== "live") return [note];
      const epoch = epochs.get(note.id) ?? Infinity;
      const frames = note.frames.filter((frame) => frame.epoch >= epoch);
      return frames.length === 0 ? [] : [{ ...note, frames }];
    });
  }

  async #store(notes: readonly Note[]): Promise<string> {
    const { database, statements } = this.#options;
    await database.query(statements.forgetNotes, []);
    const [row] = await database.query(statements.storeNotes, [JSON.stringify(notes)]);
    return toText({ sender: this.#sender, ref: row?.["n"] as number });
  }

  #receive(text: string): void {
    // Written by another handle's `send`.
    const payload = JSON.parse(text) as Payload;
    if (payload.sender === this.#sender) return;
    const receive = async (): Promise<void> =>
      this.#options.onNotes("notes" in payload ? payload.notes : await this.#fetch(payload.ref));
    // Notes may be lost.
    this.#receiving = this.#receiving.then(receive).catch(() => {});
  }

  async #fetch(ref: number): Promise<Note[]> {
    const { database, statements } = this.#options;
    const [row] = await database.query(statements.fetchNotes, [ref]);
    // Written by `#store`.
    return row === undefined ? [] : (JSON.parse(row["notes"] as string) as Note[]);
  }
}

function toText(payload: Payload): string {
  return JSON.stringify(payload);
}
