/** Converts file system errors to repository errors. */
import { isRepositoryError, LogError, RepositoryError } from "@capstan/log";

const advice: Readonly<Record<string, string>> = {
  EACCES: "this process has no permission: grant it access",
  EPERM: "this process has no permission: grant it access",
  EROFS: "it is read-only: choose another folder",
  ENOSPC: "the disk is full: free some space",
  EDQUOT: "the quota is exceeded: free some space",
  EMFILE: "this process has too many open files",
  EIO: "the disk failed: check the system log",
};

export function isMissing(thrown: unknown): boolean {
  return codeOf(thrown) === "ENOENT";
}

/** True if a name is in use; if a folder is to be replaced, the system may use another code. */
export function isTaken(thrown: unknown): boolean {
  const code = codeOf(thrown);
  return code === "EEXIST" || code === "ENOTEMPTY";
}

/** Returns repository and log errors unchanged; everything else is a failure of the store. */
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
