/** Notes between the handles of one schema, on PostgreSQL's notification channel. */
import { randomUUID } from "node:crypto";
import type { Note } from "../watch/outbox.ts";
import { fromPlainText, toPlainText } from "../text/plain-text.ts";
import type { Database } from "./database.ts";
import { NotePolls } from "./note-polls.ts";
import type { Statements } from "./statements.ts";

/** A notification holds less than 8,000 bytes; longer ones go into an unlogged table. */
const maxPayloadBytes = 7_900;

/** If listening starts later than this, the database was unavailable, and other processes may have written in the meantime. */
const promptMs = 1_000;

/** How long a notification to oneself may take. */
const echoMs = 3_000;

/** How long a handle that polls is remembered, and how often old notes are removed. */
const pollerMs = 10_000;

/** `ref` is the number of the row with the notes; `polls` is true if the sender reads only such rows. */
type Payload =
  | { readonly sender: string; readonly notes: readonly Note[] }
  | { readonly sender: string; readonly ref: number; readonly polls?: true };

export interface NoteChannelOptions {
  readonly database: Database;
  readonly statements: Statements;
  /** Receives notes of other handles; frames also from this one, once it is known that their owner has no successor. */
  onNotes(notes: readonly Note[]): void;
  /** Called after notes of others may have been missed. */
  onGap(): void;
  /** Sessions with listeners here. */
  ids(): Iterable<string>;
  /** Called for a session that has changed, if this handle has to poll. */
  onChanged(id: string, lastSeq: number | undefined, incarnation: string | undefined): void;
}

export class NoteChannel {
  readonly #options: NoteChannelOptions;
  readonly #sender = randomUUID();
  readonly #polls: NotePolls;
  #isWanted = false;
  #isListening = false;
  #mustPoll = false;
  #echo: NodeJS.Timeout | undefined;
  /** Whether a notification of this handle has come back since listening started. */
  #isEchoed = false;
  #pollersUntil = -Infinity;
  #forgottenAt = -Infinity;
  /** Processes notes in order of arrival, though some have to be fetched. */
  #receiving: Promise<void> = Promise.resolve();

  constructor(options: NoteChannelOptions) {
    this.#options = options;
    this.#polls = new NotePolls({ ...options, sender: this.#sender });
  }

  /** Whether notes of others are needed. Once begun, listening goes on. */
  want(isWanted: boolean): void {
    this.#isWanted = isWanted;
    if (!isWanted) this.#polls.stop();
    else if (this.#mustPoll) this.#polls.start();
    else this.#listen();
  }

  /** Tells what a reader here was given. */
  saw(id: string, lastSeq: number, incarnation: string | undefined): void {
    this.#polls.saw(id, lastSeq, incarnation);
  }

  close(): void {
    this.#polls.stop();
    clearTimeout(this.#echo);
  }

  #listen(): void {
    if (this.#isListening) return;
    this.#isListening = true;
    let askedAt = performance.now();
    this.#options.database.listen({
      onPayload: (payload) => this.#receive(payload),
      onListening: () => {
        if (performance.now() - askedAt > promptMs) this.#options.onGap();
        // Whenever listening starts again, notes may have been missed.
        askedAt = -Infinity;
        this.#expectEcho();
      },
      onImpossible: (reason) => this.#poll(reason),
    });
  }

  /** A pooler may accept LISTEN and deliver nothing. */
  #expectEcho(): void {
    const { database, statements } = this.#options;
    const probe = toText({ sender: this.#sender, notes: [] });
    const giveUp = (): void => this.#poll("notifications do not arrive");
    this.#isEchoed = false;
    const wait = (): void => {
      clearTimeout(this.#echo);
      // It may come before the answer of the statement that sent it.
      if (this.#isEchoed) return;
      // A notification that arrived while the process was busy is read first.
      this.#echo = setTimeout(() => {
        this.#echo = setTimeout(giveUp, 0).unref();
      }, echoMs).unref();
    };
    // Without a database nothing is known; listening starts again with the next connection.
    database.query(statements.notify, [database.channel, probe]).then(wait, () => {});
  }

  #poll(reason: string): void {
    if (this.#mustPoll) return;
    this.#mustPoll = true;
    const { database } = this.#options;
    database.stopListening();
    const advice = `set directUrl to an address that leads to the server itself, or pooler: "transaction" to poll without this warning`;
    if (!database.isPooledByIntent) {
      process.emitWarning(
        `The database ${database.name} cannot notify this process (${reason}): it polls instead. If it need not, ${advice}`,
        { code: "CAPSTAN_NO_LISTEN" },
      );
    }
    if (this.#isWanted) this.#polls.start();
  }

  async send(notes: readonly Note[]): Promise<void> {
    const current = await this.#withoutOld(notes);
    if (current.length === 0) return;
    this.#options.onNotes(current.filter(({ type }) => type === "live"));
    const { database, statements } = this.#options;
    const payload = toText({ sender: this.#sender, notes: current });
    const isLong = Buffer.byteLength(payload) > maxPayloadBytes;
    // Handles that poll find changes by themselves.
    const isForPollers =
      (this.#mustPoll || performance.now() < this.#pollersUntil) &&
      current.some(({ type }) => type !== "changed");
    const sent = isLong || isForPollers ? await this.#store(current) : payload;
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
    if (performance.now() - this.#forgottenAt > pollerMs) {
      this.#forgottenAt = performance.now();
      await database.query(statements.forgetNotes, []);
    }
    const values = [JSON.stringify(notes), this.#sender];
    const [row] = await database.query(statements.storeNotes, values);
    const polls = this.#mustPoll ? ({ polls: true } as const) : {};
    return toText({ sender: this.#sender, ref: row?.["n"] as number, ...polls });
  }

  #receive(text: string): void {
    // Written by a handle's `send`.
    const payload = JSON.parse(text) as Payload;
    if (payload.sender === this.#sender) {
      this.#isEchoed = true;
      return clearTimeout(this.#echo);
    }
    if ("polls" in payload) this.#pollersUntil = performance.now() + pollerMs;
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
