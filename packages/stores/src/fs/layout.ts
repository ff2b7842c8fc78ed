/**
 * Layout of a store's folder:
 *
 *     capstan.json               version that wrote it
 *     epochs.json                highest epoch of all deleted sessions
 *     notes.jsonl                messages between handles; may be lost
 *     processes/<handle>         process of a handle; a lock is a hard link to it
 *     sessions/<name>/log.jsonl  the log
 *     sessions/<name>/lock       exists only during a write
 *     sessions/<name>/blobs/     bytes, named by their hashes
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

/** The start of the id is for people, the hash for the store: file systems may treat different ids as equal. */
export function folderNameOf(id: string): string {
  const readable = id.replace(/[^A-Za-z0-9_-]+/g, "-").slice(0, 40);
  // Lone surrogates have no UTF-8 encoding.
  const hash = createHash("sha256").update(id, "utf16le").digest("hex").slice(0, 32);
  return `${readable}.${hash}`;
}

/** True for a folder of a session that is being created or deleted. */
export function isUnderWay(folderName: string): boolean {
  return folderName.startsWith("~");
}
