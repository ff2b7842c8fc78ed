/** Opens the folder of a store, or creates it, and cleans up after dead processes. */
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { RepositoryError } from "@capstan/log";
import { fateOf } from "../watch/process-identity.ts";
import { isMissing } from "./fs-failure.ts";
import type { Layout } from "./layout.ts";
import { isUnderWay } from "./layout.ts";

const version = 1;
/** Longer than it takes to create or delete a session. */
const forgottenMs = 3_600_000;

export function openFolder(layout: Layout): void {
  mkdirSync(layout.sessions, { recursive: true });
  mkdirSync(layout.processes, { recursive: true });
  checkVersion(layout);
  for (const name of readdirSync(layout.processes)) {
    const path = join(layout.processes, name);
    if (fateOf(readIfThere(path) ?? "") === "dead") rmSync(path, { force: true });
  }
  for (const name of readdirSync(layout.sessions).filter(isUnderWay)) {
    const path = join(layout.sessions, name);
    const changedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
    if (Date.now() - changedAt > forgottenMs) rmSync(path, { recursive: true, force: true });
  }
}

function checkVersion({ root, version: path }: Layout): void {
  const text = readIfThere(path);
  if (text === undefined) {
    const draft = join(root, `~${process.pid}`);
    writeFileSync(draft, `{ "store": "fs", "version": ${version} }\n`);
    return renameSync(draft, path);
  }
  // Written above, by this version or another.
  const { version: found } = JSON.parse(text) as { readonly version: number };
  if (found <= version) return;
  const message = `${root} was written by a newer version (its files have version ${found}, this program supports ${version}): update this program`;
  throw new RepositoryError("unavailable", "", message);
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (thrown) {
    if (isMissing(thrown)) return undefined;
    throw thrown;
  }
}
