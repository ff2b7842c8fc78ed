/** Stores blobs next to a log, as files named after their hash. */
import { randomUUID } from "node:crypto";
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { ByteRange } from "@capstan/log";
import { isBlobRef, toBlobRef } from "../text/blob-ref.ts";
import { isMissing, isTaken } from "./fs-failure.ts";

/** Takes the session's folder; fails with ENOENT if it does not exist. */
export function putBlob(folder: string, bytes: Uint8Array, isSynced: boolean): string {
  const ref = toBlobRef(bytes);
  const blobs = join(folder, "blobs");
  const path = join(blobs, ref);
  if (existsSync(path)) return ref;
  makeFolder(blobs);
  const draft = join(blobs, `~${randomUUID()}`);
  try {
    writeFileSync(draft, bytes, { flush: isSynced });
    renameSync(draft, path);
  } catch (thrown) {
    rmSync(draft, { force: true });
    throw thrown;
  }
  return ref;
}

export function getBlob(
  folder: string,
  ref: string,
  { start, end }: ByteRange = { start: 0 },
): Uint8Array | undefined {
  if (!isBlobRef(ref)) return undefined;
  let fd: number;
  try {
    fd = openSync(join(folder, "blobs", ref), "r");
  } catch (thrown) {
    if (isMissing(thrown)) return undefined;
    throw thrown;
  }
  try {
    const { size } = fstatSync(fd);
    const length = Math.max(0, Math.min(end ?? size, size) - start);
    const bytes = new Uint8Array(length);
    if (length > 0) readSync(fd, bytes, 0, length, start);
    return bytes;
  } finally {
    closeSync(fd);
  }
}

/** Does not create parent folders: without them the session does not exist. */
function makeFolder(path: string): void {
  try {
    mkdirSync(path);
  } catch (thrown) {
    if (!isTaken(thrown)) throw thrown;
  }
}
