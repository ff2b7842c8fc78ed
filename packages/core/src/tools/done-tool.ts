/** A tool that ends the turn explicitly. Without it a turn ends when the model calls no more tools. */
import type { InputOf, InputSchema } from "@capstan/kernel";
import { defineTool } from "./define-tool.ts";
import type { Tool } from "./tool.ts";

export interface DoneToolOptions<Schema extends InputSchema> {
  /** Default `done`. */
  readonly name?: string;
  readonly description?: string;
  /** Schema of the model's report. Default: an object with a `message`. */
  readonly input?: Schema;
}

const messageOnly = {
  type: "object",
  properties: { message: { type: "string", description: "What was done, for the user" } },
  required: ["message"],
  additionalProperties: false,
} as const;

/** Its result is the message, or the report as JSON. */
export function doneTool<Schema extends InputSchema = typeof messageOnly>(
  options: DoneToolOptions<Schema> = {},
): Tool<InputOf<Schema>> {
  const {
    name = "done",
    description = "Ends the task. Call it alone, when everything you were asked for is done.",
    // Without an input option, `Schema` is the default.
    input = messageOnly as InputSchema as Schema,
  } = options;
  return defineTool({
    name,
    description,
    input,
    effect: "pure",
    terminate: true,
    // The report is validated: the default one has a message, and every other comes from JSON.
    execute: (report: unknown) =>
      options.input === undefined ? (report as { message: string }).message : (report as object),
  });
}
