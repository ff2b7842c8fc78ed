/** Notes between the handles of one database, and detection of writes through other handles. */
import { randomUUID } from "node:crypto";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Note } from "../watch/outbox.ts";

interface NoteRow {
  readonly n: number;
  readonly sender: string;
  readonly notes: string;
}

/** Long enough for every handle to have read them. */
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
    // Changes when another connection commits, but not with our own commits.
    this.#dataVersion = database.prepare("PRAGMA data_version");
    this.#send = database.prepare("INSERT INTO notes (sender, sent_at, notes) VALUES (?, ?, ?)");
    this.#forget = database.prepare("DELETE FROM notes WHERE sent_at < ?");
    this.#receive = database.prepare("SELECT n, sender, notes FROM notes WHERE n > ? ORDER BY n");
    this.#last = database.prepare("SELECT coalesce(max(n), 0) AS n FROM notes");
  }

  /** Skips earlier notes: no listener here needs them. */
  start(): void {
    this.#lastVersion = this.#version();
    this.#lastNote = this.#last.get()?.["n"] as number;
  }

  /** True if another handle has written anything since the last call. */
  hasNews(): boolean {
    const version = this.#version();
    if (version === this.#lastVersion) return false;
    this.#lastVersion = version;
    return true;
  }

  /** Call within a transaction. */
  send(notes: readonly Note[], now: number): void {
    this.#forget.run(now - keptMs);
    this.#send.run(this.#sender, now, JSON.stringify(notes));
  }

  /** Returns notes of other handles since the last call. */
  receive(): Note[] {
    const rows = this.#receive.all(this.#lastNote) as unknown as NoteRow[];
    this.#lastNote = rows.at(-1)?.n ?? this.#lastNote;
    const foreign = rows.filter(({ sender }) => sender !== this.#sender);
    // Written by another handle's `send`.
    return foreign.flatMap(({ notes }) => JSON.parse(notes) as Note[]);
  }

  #version(): unknown {
    return this.#dataVersion.get()?.["data_version"];
  }
}
