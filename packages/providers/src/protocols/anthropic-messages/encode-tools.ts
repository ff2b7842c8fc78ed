/** Tools, and whether the model may or has to call one. */
import type { JsonSchema, ToolChoice, ToolDeclaration } from "@capstan/kernel";
import { isBlankText } from "../../projection/shown-media.ts";
import type { WireTool, WireToolChoice } from "./request.ts";

/** Keywords that the vendor does not take at the top of a schema. */
const choices = ["anyOf", "oneOf", "allOf"] as const;

export function toWireTool({ name, description, inputSchema }: ToolDeclaration): WireTool {
  const { anyOf: _, oneOf: __, allOf: ___, ...schema } = inputSchema;
  const shown = description + tellChoice(inputSchema);
  return {
    name,
    ...(!isBlankText(shown) && { description: shown }),
    input_schema: { type: "object", ...schema },
  };
}

/** A choice between whole inputs is told in words, and checked by whoever runs the tool. */
function tellChoice(schema: JsonSchema): string {
  const told = choices
    .filter((key) => schema[key] !== undefined)
    .map((key) => `\n\nThe input has to fit ${key}: ${JSON.stringify(schema[key])}`);
  return told.join("");
}

export function isForced(choice: ToolChoice | undefined): boolean {
  return choice !== undefined && choice !== "auto" && choice !== "none";
}

/** A model that cannot be told to call a tool is left to choose. */
export function toWireChoice(
  choice: ToolChoice | undefined,
  mustCall: boolean,
): WireToolChoice | undefined {
  if (choice === "none") return { type: "none" };
  if (!mustCall || choice === undefined) return undefined;
  return typeof choice === "object" ? { type: "tool", name: choice.tool } : { type: "any" };
}
