/** Logger of a request for a summary: its attempts are spans of the turn that needs it, and say what they are for. */
import type { Logger } from "@capstan/kernel";
import { withFields } from "../platform/logger-fields.ts";

export function summaryLogger(logger: Logger): Logger {
  const named = withFields(logger, { purpose: "summary" });
  return {
    ...named,
    startSpan: (name, attributes, parent) =>
      named.startSpan(name === "turn" ? "summary" : name, attributes, parent),
  };
}
