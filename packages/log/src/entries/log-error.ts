/** Error for a log that cannot be read. */
import { CapstanError } from "@capstan/kernel";

/** Codes of a `LogError`. */
export type LogErrorCode = "corrupt_entry";

/** An entry that cannot be read, with its position and id. */
export class LogError extends CapstanError<LogErrorCode> {
  override readonly name = "LogError";
  /** Seq at which reading stopped. */
  readonly seq: number;
  readonly entryId: string;

  constructor(
    code: LogErrorCode,
    { seq, id }: { readonly seq: number; readonly id: string },
    message: string,
    options?: ErrorOptions,
  ) {
    super(code, message, options);
    this.seq = seq;
    this.entryId = id;
  }
}
