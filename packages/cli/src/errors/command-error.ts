/** Why the command does not do what it was asked for. */
import { CapstanError } from "@capstan/kernel";

/** `wrong_use`: something else has to be asked for. `failed`: it was right to ask, and it cannot be done. */
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

/** What the system says of a file: "ENOENT: no such file or directory", without the name of the call. */
export function reasonOf(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return text.replace(/, \w+( '.*')*$/, "");
}
