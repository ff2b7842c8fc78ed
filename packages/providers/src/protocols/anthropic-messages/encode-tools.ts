/** Encodes tools and the tool choice. */
import type { JsonSchema, ToolChoice, ToolDeclaration } from "@capstan/kernel";
import { isBlankText } from "../../projection/shown-media.ts";
import type { WireTool, WireToolChoice } from "./request.ts";

/** Keywords the vendor rejects at the top level of a schema. */
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

/** Describes a choice between whole inputs in words. The code that runs the tool validates it. */
function tellChoice(schema: JsonSchema): string {
  const told = choices
    .filter((key) => schema[key] !== undefined)
    .map((key) => `\n\nThe input must match ${key}: ${JSON.stringify(schema[key])}`);
  return told.join("");
}

export function isForced(choice: ToolChoice | undefined): boolean {
  return choice !== undefined && choice !== "auto" && choice !== "none";
}

/** A model that cannot be forced to call a tool is left to choose. */
export function toWireChoice(
  choice: ToolChoice | undefined,
  mustCall: boolean,
): WireToolChoice | undefined {
  if (choice === "none") return { type: "none" };
  if (!mustCall || choice === undefined) return undefined;
  return typeof choice === "object" ? { type: "tool", name: choice.tool } : { type: "any" };
}
