/** Errors about choosing a model. */
import { CapstanError } from "@capstan/kernel";

export type ModelErrorCode =
  | "unknown_model"
  /** The vendor is known, but the variable for its key is not set. */
  | "missing_key"
  | "missing_base_url"
  /** A custom vendor in the configuration, without a protocol or a base URL. */
  | "incomplete_vendor"
  /** The requested model's server on this machine does not answer. */
  | "absent_server"
  /** Without a context window, no session can tell when its context is full. */
  | "unknown_window";

export class ModelError extends CapstanError<ModelErrorCode> {
  override readonly name = "ModelError";
}
