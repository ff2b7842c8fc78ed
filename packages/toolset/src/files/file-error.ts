/** Errors of the file tools, in words that a model can act on. */
import { CapstanError, fail } from "@capstan/core";
import type { ToolOutput } from "@capstan/kernel";

export type FileErrorCode =
  | "outside"
  | "missing"
  | "wrong_kind"
  | "no_permission"
  | "binary"
  | "past_end"
  | "too_large"
  | "no_match"
  | "changed"
  | "not_read"
  | "invalid_pattern"
  | "unreadable";

export class FileError extends CapstanError<FileErrorCode> {
  override readonly name = "FileError";
}

export interface FailureDetails {
  readonly code: FileErrorCode;
}

/** Runs `work` and turns its `FileError` into a failed output. Rethrows everything else, aborts in particular. */
export async function toToolOutput<Output>(
  work: () => Promise<Output>,
): Promise<Output | ToolOutput<FailureDetails>> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof FileError)) throw thrown;
    return fail(thrown.message, { code: thrown.code });
  }
}

/** Runs one `node:fs` call and converts its failure to a `FileError` about `path`, as the model wrote it. */
export async function onFile<Value>(path: string, call: () => Promise<Value>): Promise<Value> {
  try {
    return await call();
  } catch (cause) {
    if (!isSystemError(cause)) throw cause;
    const [code, message] = explain(cause, path);
    throw new FileError(code, message, { cause });
  }
}

function isSystemError(thrown: unknown): thrown is NodeJS.ErrnoException {
  return thrown instanceof Error && "syscall" in thrown && "code" in thrown;
}

function explain({ code, message }: NodeJS.ErrnoException, path: string): [FileErrorCode, string] {
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      return ["missing", `${path} does not exist. Use ls to see which files exist.`];
    case "EACCES":
    case "EPERM":
      return [
        "no_permission",
        `No permission to open ${path}. Use another path, or ask the user for access.`,
      ];
    case "ELOOP":
      return ["unreadable", `${path} is a circular symbolic link. Use another path.`];
    case "ENAMETOOLONG":
      return [
        "missing",
        "The path is longer than the file system allows. Use ls to see which files exist.",
      ];
    default:
      // Node's message contains the real path, which the model must not see; the code is enough.
      return ["unreadable", `${path} cannot be used (${code ?? message}). Use another path.`];
  }
}
