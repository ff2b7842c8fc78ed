/** Errors of commands. */
import { CapstanError } from "@capstan/kernel";

/** `wrong_use`: the user must change the request. `failed`: the request was valid, but could not be carried out. */
export type CommandErrorCode = "wrong_use" | "failed";

export class CommandError extends CapstanError<CommandErrorCode> {
  override readonly name = "CommandError";
}

export function wrongUse(message: string, cause?: unknown): CommandError {
  return new CommandError("wrong_use", message, { cause });
}

export function failed(message: string, cause?: unknown): CommandError {
  return new CommandError("failed", message, { cause });
}

/** Returns the system's reason, "ENOENT: no such file or directory", without the name of the call. */
export function reasonOf(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return text.replace(/, \w+( '.*')*$/, "");
}
