/** A log that cannot be read. */

export type LogErrorCode = "corrupt_entry";

export class LogError extends Error {
  override readonly name = "LogError";
  readonly code: LogErrorCode;
  /** Where reading stopped. */
  readonly seq: number;
  readonly entryId: string;

  constructor(
    code: LogErrorCode,
    { seq, id }: { readonly seq: number; readonly id: string },
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.code = code;
    this.seq = seq;
    this.entryId = id;
  }
}
