/**
 * Where things are in the folder of a store:
 *
 *     capstan.json               which version wrote it
 *     epochs.json                the highest epoch of all sessions that were deleted
 *     notes.jsonl                what handles tell each other; may be lost
 *     processes/<handle>         which process a handle is of; a lock is a hard link to it
 *     sessions/<name>/log.jsonl  the log
 *     sessions/<name>/lock       only while somebody writes
 *     sessions/<name>/blobs/     bytes, by their hashes
 */
import { createHash } from "node:crypto";
import { join } from "node:path";

export interface Layout {
  readonly root: string;
  readonly version: string;
  readonly epochs: string;
  readonly notes: string;
  readonly processes: string;
  readonly sessions: string;
}

export function layoutOf(root: string): Layout {
  return {
    root,
    version: join(root, "capstan.json"),
    epochs: join(root, "epochs.json"),
    notes: join(root, "notes.jsonl"),
    processes: join(root, "processes"),
    sessions: join(root, "sessions"),
  };
}

/** For people the beginning of the id, for the store its hash: ids may differ in what file systems take for the same. */
export function folderNameOf(id: string): string {
  const readable = id.replace(/[^A-Za-z0-9_-]+/g, "-").slice(0, 40);
  // Halves of surrogate pairs have no UTF-8 of their own.
  const hash = createHash("sha256").update(id, "utf16le").digest("hex").slice(0, 32);
  return `${readable}.${hash}`;
}

/** What is under way to become a session, or to be gone. */
export function isUnderWay(folderName: string): boolean {
  return folderName.startsWith("~");
}
