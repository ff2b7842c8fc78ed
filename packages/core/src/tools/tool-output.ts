/** The envelope of a tool result that is more than a text. A plain object that lacks a field would go to the model as JSON. */
import type { ToolOutput } from "@capstan/kernel";

/** Makes the output of a tool call that succeeded. The model sees the message, user interfaces the details. */
export function ok<Details = never>(message: string, details?: Details): ToolOutput<Details> {
  return envelope(true, message, details);
}

/** Makes the output of a failed tool call, which the model gets as an error result. */
export function fail<Details = never>(message: string, details?: Details): ToolOutput<Details> {
  return envelope(false, message, details);
}

function envelope<Details>(
  isOk: boolean,
  outputMessage: string,
  details: Details | undefined,
): ToolOutput<Details> {
  return { ok: isOk, outputMessage, ...(details !== undefined && { details }) };
}
