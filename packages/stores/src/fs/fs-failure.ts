/** What the file system fails with, as what a repository fails with. */
import { isRepositoryError, LogError, RepositoryError } from "@capstan/log";

const advice: Readonly<Record<string, string>> = {
  EACCES: "this process may not use it: give it access",
  EPERM: "this process may not use it: give it access",
  EROFS: "it cannot be written: choose another folder",
  ENOSPC: "the disk is full: make room",
  EDQUOT: "the quota is used up: make room",
  EMFILE: "too many files are open in this process",
  EIO: "the disk failed: see what the system says of it",
};

export function isMissing(thrown: unknown): boolean {
  return codeOf(thrown) === "ENOENT";
}

/** A name is in use; for a folder that is to be replaced, the system may say so in other words. */
export function isTaken(thrown: unknown): boolean {
  const code = codeOf(thrown);
  return code === "EEXIST" || code === "ENOTEMPTY";
}

/** What was refused for a reason stays as it is; all else is the store's fault. */
export function toRepositoryError(thrown: unknown, path: string, sessionId: string): Error {
  if (isRepositoryError(thrown) || thrown instanceof LogError) return thrown;
  const why = thrown instanceof Error ? thrown.message : String(thrown);
  const hint = advice[codeOf(thrown) ?? ""];
  const message = `The folder ${path} failed (${why})${hint === undefined ? "" : `: ${hint}`}`;
  return new RepositoryError("unavailable", sessionId, message, { cause: thrown });
}

function codeOf(thrown: unknown): string | undefined {
  return (thrown as NodeJS.ErrnoException | undefined)?.code;
}
