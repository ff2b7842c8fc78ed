/** What SQLite fails with, as what a repository fails with. */
import { isRepositoryError, LogError, RepositoryError } from "@capstan/log";

/** Of https://sqlite.org/rescode.html; the extended codes have the plain one in their last byte. */
const codes = {
  busy: 5,
  locked: 6,
  readonly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  tooBig: 18,
  constraint: 19,
  notADatabase: 26,
} as const;

const advice: Readonly<Record<number, string>> = {
  [codes.busy]: "another process holds its lock: wait for it to end, or see what it does",
  [codes.locked]: "another connection holds its lock",
  [codes.readonly]: "this process may not write it: give it access to the file and its folder",
  [codes.ioError]: "the disk failed or is full: see what the system says of it",
  [codes.corrupt]: "the file is damaged: bring back a copy",
  [codes.full]: "the disk is full: make room",
  [codes.cannotOpen]: "see whether its folder exists and may be written",
  [codes.notADatabase]: "the file is no SQLite database: choose another path, or bring back a copy",
};

/** The plain result code. Undefined if it was not SQLite that failed. */
function codeOf(thrown: unknown): number | undefined {
  if (!(thrown instanceof Error) || !("errcode" in thrown)) return undefined;
  return typeof thrown.errcode === "number" ? thrown.errcode & 0xff : undefined;
}

/** A row with this key is there already. */
export function isTaken(thrown: unknown): boolean {
  return codeOf(thrown) === codes.constraint;
}

/** Another connection has a lock. */
export function isBusy(thrown: unknown): boolean {
  return codeOf(thrown) === codes.busy;
}

export function isTooBig(thrown: unknown): boolean {
  return codeOf(thrown) === codes.tooBig;
}

/** What was refused for a reason stays as it is; all else is the store's fault. */
export function toRepositoryError(thrown: unknown, path: string, sessionId: string): Error {
  if (isRepositoryError(thrown) || thrown instanceof LogError) return thrown;
  const code = codeOf(thrown);
  const why = thrown instanceof Error ? thrown.message : String(thrown);
  const hint = code === undefined ? undefined : advice[code];
  const message = `The database ${path} failed (${why})${hint === undefined ? "" : `: ${hint}`}`;
  return new RepositoryError("unavailable", sessionId, message, { cause: thrown });
}
