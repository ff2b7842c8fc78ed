/** A logger whose spans have further fields. */
import type { LogFields, Logger, Span } from "@capstan/kernel";

export function withFields(logger: Logger, fields: LogFields): Logger {
  return {
    hasContent: logger.hasContent,
    log: (...line) => logger.log(...line),
    startSpan: (name, attributes, parent) =>
      logger.startSpan(name, { ...attributes, ...fields }, parent),
    ...(logger.within && { within: (span, call) => within(logger, span, call) }),
    ...(logger.trace && { trace: () => logger.trace?.() }),
  };
}

function within<T>(logger: Logger, span: Span, call: () => T): T {
  return logger.within === undefined ? call() : logger.within(span, call);
}
