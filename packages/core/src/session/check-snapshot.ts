/** Checks a snapshot before it is restored: it comes from outside, and may be anything. */
import { invalid } from "../errors/session-error.ts";
import { checkSessionId } from "../input/input.ts";
import type { SessionSnapshot } from "./snapshot.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Throws `invalid_input` with the field that is wrong. The log checks the content of the entries. */
export function checkSnapshot(snapshot: SessionSnapshot): void {
  // The type is what is being checked.
  const value: unknown = snapshot;
  if (!isObject(value)) {
    throw invalid(
      `A snapshot must be an object, as session.snapshot returns it, not ${kindOf(value)}`,
    );
  }
  const { version, id, messages, entries, blobs } = value;
  if (version !== 1) throw invalid(wrongVersion(version));
  if (typeof id !== "string") throw wrong("id", "a string", id);
  checkSessionId(id);
  if (entries === undefined && messages !== undefined) {
    throw invalid(
      "The snapshot has messages but no entries, which a session continues from. To begin with messages alone, pass them to createSession as history",
    );
  }
  if (!Array.isArray(entries) || entries.length === 0) {
    throw wrong("entries", "a list with at least one entry", entries);
  }
  for (const [index, entry] of entries.entries()) checkEntry(entry, `entries[${index}]`);
  if (blobs === undefined) return;
  if (!Array.isArray(blobs)) throw wrong("blobs", "a list", blobs);
  for (const [index, blob] of blobs.entries()) {
    checkFields(blob, `blobs[${index}]`, { blob: "string", data: "string" });
  }
}

function checkEntry(entry: unknown, name: string): void {
  checkFields(entry, name, {
    seq: "number",
    v: "number",
    type: "string",
    id: "string",
    at: "number",
  });
}

function checkFields(
  value: unknown,
  name: string,
  kinds: Readonly<Record<string, "string" | "number">>,
): void {
  if (!isObject(value)) throw wrong(name, "an object", value);
  for (const [field, kind] of Object.entries(kinds)) {
    if (typeof value[field] !== kind) throw wrong(`${name}.${field}`, `a ${kind}`, value[field]);
  }
}

function wrongVersion(version: unknown): string {
  const found =
    typeof version === "number"
      ? `has the version ${version}`
      : `has no version, but ${kindOf(version)}`;
  return `The snapshot ${found}: this program reads version 1`;
}

function wrong(name: string, wanted: string, found: unknown): Error {
  return invalid(`Invalid snapshot: ${name} must be ${wanted}, not ${kindOf(found)}`);
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Names the kind, not the value, which may be long or private. */
function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  return typeof value;
}
