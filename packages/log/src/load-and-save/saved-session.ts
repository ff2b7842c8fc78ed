/** A session as one value of plain JSON, for storages that can only load and save. */
import { fromBase64, toBase64 } from "../copies/base64.ts";
import type { StoredEntry } from "../entries/entries.ts";
import { checkEnvelope } from "../entries/entry-envelope.ts";
import type { SessionContent } from "../memory/memory-session.ts";
import type { SessionHead, SessionStatus } from "../repository/repository.ts";
import { RepositoryError } from "../repository/repository.ts";

/** A whole session as one JSON value. */
export interface SavedSession {
  readonly version: 1;
  readonly id: string;
  readonly head: SessionHead;
  /** Last epoch that was given. A later process continues from it, so that ids of entries are never taken. */
  readonly epoch: number;
  /** Seq of the last entry that was posted, not appended. 0 if there is none. */
  readonly lastPostedSeq: number;
  /** The log, in order, numbered from 1. */
  readonly entries: readonly StoredEntry[];
  /** Base64 by ref. Absent if there are none. */
  readonly blobs?: Readonly<Record<string, string>>;
}

/** Blobs never change, and each save has all of them. */
const encoded = new WeakMap<Uint8Array, string>();

export function toSaved(content: SessionContent, epoch: number): SavedSession {
  const { id, head, lastPostedSeq, entries, blobs } = content;
  const saved: SavedSession = { version: 1, id, head, epoch, lastPostedSeq, entries };
  if (blobs.size === 0) return saved;
  const texts = [...blobs].map(([ref, bytes]) => [ref, toText(bytes)] as const);
  return { ...saved, blobs: Object.fromEntries(texts) };
}

/** Fails with `unavailable` if the value is not a saved session with this id. Entries are checked as far as stores look at them. */
export function parseSaved(
  id: string,
  value: unknown,
): { readonly content: SessionContent; readonly epoch: number } {
  const saved = new SavedValue(id, value);
  saved.mustBe("version", 1);
  saved.mustBe("id", id);
  const head = toHead(saved.object("head"));
  const epoch = saved.count("epoch", Number.MAX_SAFE_INTEGER);
  const entries = toEntries(id, saved);
  const lastPostedSeq = saved.count("lastPostedSeq", entries.length);
  return { content: { id, head, lastPostedSeq, entries, blobs: toBlobs(saved) }, epoch };
}

const statuses: readonly SessionStatus[] = [
  "idle",
  "running",
  "awaiting_tool_execution",
  "completed",
  "error",
];

function toHead(head: SavedValue): SessionHead {
  if (!statuses.some((status) => status === head.get("status"))) {
    throw head.fault(`status must be one of ${statuses.join(", ")}`);
  }
  head.string("agent");
  for (const field of ["incarnation", "principal", "title"]) head.string(field, true);
  head.count("seen", Number.MAX_SAFE_INTEGER);
  head.number("updatedAt");
  head.number("wakeAt", true);
  head.number("checkpoint", true);
  if (head.get("setAside") !== undefined) {
    const aside = head.object("setAside");
    aside.string("reason");
    aside.number("at");
  }
  // Its fields were checked.
  return head.value as unknown as SessionHead;
}

function toEntries(id: string, saved: SavedValue): readonly StoredEntry[] {
  const entries = saved.get("entries");
  if (!Array.isArray(entries)) {
    throw saved.fault(`entries must be an array, not ${kindOf(entries)}`);
  }
  const ids = new Set<string>();
  for (const [index, entry] of entries.entries()) {
    try {
      checkEnvelope(id, entry);
    } catch (thrown) {
      throw saved.fault(`entries[${index}] is not an entry`, thrown);
    }
    // It has an envelope.
    const { seq, id: entryId } = entry as StoredEntry;
    if (seq !== index + 1) {
      throw saved.fault(`entries[${index}].seq must be ${index + 1}, not ${String(seq)}`);
    }
    if (ids.size === ids.add(entryId).size) {
      throw saved.fault(`entries have the id "${entryId}" twice`);
    }
  }
  return entries as StoredEntry[];
}

function toBlobs(saved: SavedValue): ReadonlyMap<string, Uint8Array> {
  const blobs = new Map<string, Uint8Array>();
  if (saved.get("blobs") === undefined) return blobs;
  const texts = saved.object("blobs");
  for (const [ref, text] of Object.entries(texts.value)) {
    try {
      if (typeof text !== "string") throw new TypeError(`It is ${kindOf(text)}`);
      const bytes = fromBase64(text);
      encoded.set(bytes, text);
      blobs.set(ref, bytes);
    } catch (thrown) {
      throw saved.fault(`blobs["${ref}"] must be Base64`, thrown);
    }
  }
  return blobs;
}

function toText(bytes: Uint8Array): string {
  const known = encoded.get(bytes);
  if (known !== undefined) return known;
  const text = toBase64(bytes);
  encoded.set(bytes, text);
  return text;
}

/** An object that was loaded, whose fields are untrusted. Faults name the field, with its path. */
class SavedValue {
  readonly value: Readonly<Record<string, unknown>>;
  readonly #sessionId: string;
  readonly #path: string;

  constructor(sessionId: string, value: unknown, path = "") {
    this.#sessionId = sessionId;
    this.#path = path;
    if (typeof value === "string" && path === "") {
      throw this.#fault("it is a string: parse it with JSON.parse before `load` returns it");
    }
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      const name = path === "" ? "it" : `its ${path.slice(0, -1)}`;
      throw this.#fault(`${name} must be an object, not ${kindOf(value)}`);
    }
    this.value = value as Readonly<Record<string, unknown>>;
  }

  get(field: string): unknown {
    return this.value[field];
  }

  object(field: string): SavedValue {
    return new SavedValue(this.#sessionId, this.get(field), `${this.#path}${field}.`);
  }

  mustBe(field: string, expected: string | number): void {
    const found = this.get(field);
    if (found === expected) return;
    const isShown = typeof found === "number" || typeof found === "string";
    const shown = isShown ? JSON.stringify(found) : kindOf(found);
    throw this.fault(`${field} must be ${JSON.stringify(expected)}, not ${shown}`);
  }

  string(field: string, isOptional = false): void {
    const found = this.get(field);
    if (typeof found === "string" || (isOptional && found === undefined)) return;
    throw this.fault(`${field} must be a string, not ${kindOf(found)}`);
  }

  number(field: string, isOptional = false): void {
    const found = this.get(field);
    if (Number.isFinite(found) || (isOptional && found === undefined)) return;
    throw this.fault(`${field} must be a number, not ${kindOf(found)}`);
  }

  count(field: string, max: number): number {
    const found = this.get(field);
    if (typeof found !== "number" || !Number.isSafeInteger(found) || found < 0) {
      throw this.fault(`${field} must be a whole number from 0 on, not ${kindOf(found)}`);
    }
    if (found > max) throw this.fault(`${field} must be at most ${max}, not ${found}`);
    return found;
  }

  fault(what: string, cause?: unknown): RepositoryError {
    return this.#fault(`its ${this.#path}${what}`, cause);
  }

  #fault(what: string, cause?: unknown): RepositoryError {
    const message = `The saved session "${this.#sessionId}" cannot be used: ${what}. Restore what \`save\` was given, or delete it`;
    return new RepositoryError("unavailable", this.#sessionId, message, { cause });
  }
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
