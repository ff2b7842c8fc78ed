/** Errors in settings: the message names the position and the allowed values. */
import { CapstanError } from "@capstan/kernel";

export type ConfigErrorCode =
  | "invalid_config"
  | "unreadable_config"
  | "invalid_variable"
  | "invalid_flag"
  | "invalid_rule";

export class ConfigError extends CapstanError<ConfigErrorCode> {
  override readonly name = "ConfigError";
}
