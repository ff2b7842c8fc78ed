/** Why the command cannot run with what it was told: the message names the place and what is allowed there. */
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
