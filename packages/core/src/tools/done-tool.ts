/** A tool that ends the turn explicitly. Without it a turn ends when the model calls no more tools. */
import type { InputSchema, WholeSchema } from "@capstan/kernel";
import type { DefinedTypes } from "./define-tool.ts";
import { toTool } from "./define-tool.ts";
import type { Tool } from "./tool.ts";

/** Options of `doneTool`. */
export interface DoneToolOptions<Schema extends InputSchema, Name extends string = string> {
  /** Default `done`. */
  readonly name?: Name;
  readonly description?: string;
  /** Schema of the model's report. Default: an object with a `message`. */
  readonly input?: Schema & WholeSchema<Schema>;
}

const messageOnly = {
  type: "object",
  properties: { message: { type: "string", description: "What was done, for the user" } },
  required: ["message"],
  additionalProperties: false,
} as const;

/** Creates a tool with which the model ends the turn. Its result is the message, or the report as JSON. */
export function doneTool<
  Schema extends InputSchema = typeof messageOnly,
  const Name extends string = "done",
>(
  options: DoneToolOptions<Schema, Name> = {},
): Tool<DefinedTypes<NoInfer<Name>, NoInfer<Schema>, unknown, string | object>> {
  const {
    name = "done",
    description = "Ends the task. Call it alone, when everything you were asked for is done.",
    input = messageOnly,
  }: DoneToolOptions<InputSchema> = options;
  const tool = toTool({
    name,
    description,
    input,
    effect: "pure",
    terminate: true,
    // The report is validated: the default one has a message, and every other comes from JSON.
    execute: (report: unknown) =>
      options.input === undefined ? (report as { message: string }).message : (report as object),
  });
  // Without options, `Name` and `Schema` are the defaults.
  return tool as Tool<DefinedTypes<NoInfer<Name>, NoInfer<Schema>, unknown, string | object>>;
}
