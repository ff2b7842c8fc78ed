/** Why a file tool cannot do what it was asked, in words that a model can act on. */
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
  | "invalid_pattern"
  | "unreadable";

export class FileError extends CapstanError<FileErrorCode> {
  override readonly name = "FileError";
}

export interface FailureDetails {
  readonly code: FileErrorCode;
}

/** Runs `work` and turns its `FileError` into a failed output. Everything else, an abort above all, is thrown on. */
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

/** Runs one call of `node:fs`; its failure becomes a `FileError` about `path`, as the model wrote it. */
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
      return ["missing", `There is no ${path}. Use ls to see what there is.`];
    case "EACCES":
    case "EPERM":
      return [
        "no_permission",
        `No permission to open ${path}. Use another path, or ask the user for access.`,
      ];
    case "ELOOP":
      return ["unreadable", `${path} is a symbolic link that leads in a circle. Use another path.`];
    case "ENAMETOOLONG":
      return [
        "missing",
        "There is no such path: it is longer than the file system allows. Use ls to see what there is.",
      ];
    default:
      // Node's message names the real path, which is not for the model; the code says enough.
      return ["unreadable", `${path} cannot be used (${code ?? message}). Use another path.`];
  }
}
