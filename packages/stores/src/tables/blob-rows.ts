/** Stores blobs next to the logs, as rows. */
import type { ByteRange, WriteOptions } from "@capstan/log";
import { sessionGone, sessionNotFound } from "@capstan/log";
import { toPlainOrNull, toPlainText } from "../text/plain-text.ts";
import type { Database, Statement } from "./database.ts";
import { isMeant } from "./session-rows.ts";

export class BlobRows {
  readonly #put: Statement;
  readonly #get: Statement;
  readonly #getRange: Statement;

  constructor(database: Database) {
    const from = "FROM sessions s JOIN blobs b ON b.session = s.n AND b.ref = ? WHERE s.id = ?";
    // The update changes nothing; it makes the statement return the row even if it existed already.
    this.#put = database.prepare(
      `INSERT INTO blobs (session, ref, bytes) SELECT n, ?, ? FROM sessions WHERE id = ? AND ${isMeant}
       ON CONFLICT (session, ref) DO UPDATE SET ref = ref RETURNING ref`,
    );
    this.#get = database.prepare(`SELECT b.bytes ${from}`);
    this.#getRange = database.prepare(`SELECT substr(b.bytes, ? + 1, ?) AS bytes ${from}`);
  }

  /** Stores bytes under their ref. Call within a transaction. */
  put(id: string, ref: string, bytes: Uint8Array, { incarnation }: WriteOptions): string {
    const meant = [toPlainText(id), toPlainOrNull(incarnation)] as const;
    if (this.#put.get(ref, bytes, ...meant) !== undefined) return ref;
    throw incarnation === undefined ? sessionNotFound(id) : sessionGone(id);
  }

  get(id: string, ref: string, range: ByteRange | undefined): Uint8Array | undefined {
    const key = [toPlainText(ref), toPlainText(id)] as const;
    const row =
      range === undefined
        ? this.#get.get(...key)
        : this.#getRange.get(range.start, lengthOf(range), ...key);
    // A column of bytes; `substr` of bytes returns bytes.
    return row?.["bytes"] as Uint8Array | undefined;
  }
}

function lengthOf({ start, end }: ByteRange): number {
  return end === undefined ? Number.MAX_SAFE_INTEGER : Math.max(0, end - start);
}
