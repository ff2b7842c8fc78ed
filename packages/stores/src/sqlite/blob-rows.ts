/** Stores blobs next to the logs, as rows. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { ByteRange, WriteOptions } from "@capstan/log";
import { sessionGone, sessionNotFound } from "@capstan/log";
import { toBlobRef } from "../text/blob-ref.ts";
import { toPlainOrNull, toPlainText } from "../text/plain-text.ts";
import { isMeant } from "./session-rows.ts";

export class BlobRows {
  readonly #put: StatementSync;
  readonly #get: StatementSync;
  readonly #getRange: StatementSync;

  constructor(database: DatabaseSync) {
    const from = "FROM sessions s JOIN blobs b ON b.session = s.n AND b.ref = ? WHERE s.id = ?";
    // The update changes nothing; it makes the statement return the row even if it existed already.
    this.#put = database.prepare(
      `INSERT INTO blobs (session, ref, bytes) SELECT n, ?, ? FROM sessions WHERE id = ? AND ${isMeant}
       ON CONFLICT (session, ref) DO UPDATE SET ref = ref RETURNING ref`,
    );
    this.#get = database.prepare(`SELECT b.bytes ${from}`);
    this.#getRange = database.prepare(`SELECT substr(b.bytes, ? + 1, ?) AS bytes ${from}`);
  }

  /** Call within a transaction. */
  put(id: string, bytes: Uint8Array, { incarnation }: WriteOptions): string {
    const ref = toBlobRef(bytes);
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
