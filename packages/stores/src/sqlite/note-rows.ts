/** Notes between the handles of one database, and the word that something was written through another. */
import { randomUUID } from "node:crypto";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Note } from "../watch/outbox.ts";

interface NoteRow {
  readonly n: number;
  readonly sender: string;
  readonly notes: string;
}

/** Long enough for everybody to have looked. */
const keptMs = 10_000;

export class NoteRows {
  readonly #sender = randomUUID();
  readonly #dataVersion: StatementSync;
  readonly #send: StatementSync;
  readonly #forget: StatementSync;
  readonly #receive: StatementSync;
  readonly #last: StatementSync;
  #lastVersion: unknown;
  #lastNote = 0;

  constructor(database: DatabaseSync) {
    // It changes when another connection has committed, and not with our own commits.
    this.#dataVersion = database.prepare("PRAGMA data_version");
    this.#send = database.prepare("INSERT INTO notes (sender, sent_at, notes) VALUES (?, ?, ?)");
    this.#forget = database.prepare("DELETE FROM notes WHERE sent_at < ?");
    this.#receive = database.prepare("SELECT n, sender, notes FROM notes WHERE n > ? ORDER BY n");
    this.#last = database.prepare("SELECT coalesce(max(n), 0) AS n FROM notes");
  }

  /** What was said before nobody here needs to know. */
  start(): void {
    this.#lastVersion = this.#version();
    this.#lastNote = this.#last.get()?.["n"] as number;
  }

  /** Whether another handle has written anything since the last time. */
  hasNews(): boolean {
    const version = this.#version();
    if (version === this.#lastVersion) return false;
    this.#lastVersion = version;
    return true;
  }

  /** To be called within a transaction. */
  send(notes: readonly Note[], now: number): void {
    this.#forget.run(now - keptMs);
    this.#send.run(this.#sender, now, JSON.stringify(notes));
  }

  /** What others have sent since the last time. */
  receive(): Note[] {
    const rows = this.#receive.all(this.#lastNote) as unknown as NoteRow[];
    this.#lastNote = rows.at(-1)?.n ?? this.#lastNote;
    const foreign = rows.filter(({ sender }) => sender !== this.#sender);
    // What another handle wrote with `send`.
    return foreign.flatMap(({ notes }) => JSON.parse(notes) as Note[]);
  }

  #version(): unknown {
    return this.#dataVersion.get()?.["data_version"];
  }
}
