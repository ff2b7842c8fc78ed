/** Converts SQLite errors to repository errors. */
import { isRepositoryError, LogError, RepositoryError } from "@capstan/log";

/** From https://sqlite.org/rescode.html; extended codes have the primary code in their lowest byte. */
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
  [codes.busy]: "another process holds its lock: wait for it to end, or check what it is doing",
  [codes.locked]: "another connection holds its lock",
  [codes.readonly]:
    "this process has no write permission: grant it access to the file and its folder",
  [codes.ioError]: "the disk failed or is full: check the system log",
  [codes.corrupt]: "the file is damaged: restore it from a backup",
  [codes.full]: "the disk is full: free some space",
  [codes.cannotOpen]: "check that its folder exists and is writable",
  [codes.notADatabase]:
    "the file is not a SQLite database: choose another path, or restore it from a backup",
};

/** Returns the primary result code. Undefined if the error is not SQLite's. */
function codeOf(thrown: unknown): number | undefined {
  if (!(thrown instanceof Error) || !("errcode" in thrown)) return undefined;
  return typeof thrown.errcode === "number" ? thrown.errcode & 0xff : undefined;
}

/** True if a row with this key exists already. */
export function isTaken(thrown: unknown): boolean {
  return codeOf(thrown) === codes.constraint;
}

/** True if another connection holds a lock. */
export function isBusy(thrown: unknown): boolean {
  return codeOf(thrown) === codes.busy;
}

export function isTooBig(thrown: unknown): boolean {
  return codeOf(thrown) === codes.tooBig;
}

/** Returns repository and log errors unchanged; everything else is a failure of the store. */
export function toRepositoryError(thrown: unknown, path: string, sessionId: string): Error {
  if (isRepositoryError(thrown) || thrown instanceof LogError) return thrown;
  const code = codeOf(thrown);
  const why = thrown instanceof Error ? thrown.message : String(thrown);
  const hint = code === undefined ? undefined : advice[code];
  const message = `The database ${path} failed (${why})${hint === undefined ? "" : `: ${hint}`}`;
  return new RepositoryError("unavailable", sessionId, message, { cause: thrown });
}
