/** The explicit end of a turn as a tool. Without it a turn ends when the model calls no more tools. */
import type { InputOf, InputSchema } from "@capstan/kernel";
import { defineTool } from "./define-tool.ts";
import type { Tool } from "./tool.ts";

export interface DoneToolOptions<Schema extends InputSchema> {
  /** Default `done`. */
  readonly name?: string;
  readonly description?: string;
  /** What the model reports with it. Default: an object with a `message`. */
  readonly input?: Schema;
}

const messageOnly = {
  type: "object",
  properties: { message: { type: "string", description: "What was done, for the user" } },
  required: ["message"],
  additionalProperties: false,
} as const;

/** Its result is the message, or what was reported, as JSON. */
export function doneTool<Schema extends InputSchema = typeof messageOnly>(
  options: DoneToolOptions<Schema> = {},
): Tool<InputOf<Schema>> {
  const {
    name = "done",
    description = "Ends the task. Call it alone, when everything that was asked for is done.",
    // Without an input of its own, `Schema` is the default.
    input = messageOnly as InputSchema as Schema,
  } = options;
  return defineTool({
    name,
    description,
    input,
    effect: "pure",
    terminate: true,
    // The schema has let the report pass: the default one has a message, and every other comes from JSON.
    execute: (report: unknown) =>
      options.input === undefined ? (report as { message: string }).message : (report as object),
  });
}
