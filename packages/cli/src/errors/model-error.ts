/** What keeps the command from having a model. */
import { CapstanError } from "@capstan/kernel";

export type ModelErrorCode =
  | "unknown_model"
  /** The vendor is known, and the variable for its key is not set. */
  | "missing_key"
  | "missing_base_url"
  /** A vendor of the configuration that nobody knows, and that does not say how it is spoken to. */
  | "incomplete_vendor"
  /** A server on this machine that a model was asked of, and that does not answer. */
  | "absent_server"
  /** Without it no session can tell when its context is full. */
  | "unknown_window";

export class ModelError extends CapstanError<ModelErrorCode> {
  override readonly name = "ModelError";
}
