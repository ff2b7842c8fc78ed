/** A logger whose spans name the principal that a turn runs for. */
import type { Logger } from "@capstan/kernel";

/** Returns the same logger if there is no principal. */
export function withPrincipal(
  logger: Logger | undefined,
  principal: string | undefined,
): Logger | undefined {
  if (logger === undefined || principal === undefined) return logger;
  return {
    log: (...line) => logger.log(...line),
    startSpan: (name, attributes, parent) =>
      logger.startSpan(name, { ...attributes, principal }, parent),
  };
}
