/** Declarations of a server's tools: untrusted, so they are cleaned and bounded before a model reads them. */
import { defineTool, withoutPatterns } from "@capstan/core";
import type { JsonSchema, JsonValue, ToolContract } from "@capstan/kernel";
import { hashJson } from "@capstan/kernel";
import type { Tool } from "@modelcontextprotocol/client";
import { cleanSchema, cleanText, maxDescriptionChars } from "../elicitation/clean-text.ts";

const maxSchemaChars = 100_000;
const maxLabelChars = 100;

export interface Declaration {
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly label?: string;
  readonly parseInput: ToolContract["parseInput"];
}

/** Returns a text if the declaration cannot be used. */
export function toDeclaration(server: string, tool: Tool): Declaration | string {
  const inputSchema = cleanSchema(tool.inputSchema);
  const { length } = JSON.stringify(inputSchema);
  if (length > maxSchemaChars) {
    return `its schema has ${length} characters, above the limit of ${maxSchemaChars}`;
  }
  const described = cleanText(tool.description ?? "", maxDescriptionChars).trim();
  const title = tool.title ?? tool.annotations?.title;
  const label = title === undefined ? "" : cleanText(title, maxLabelChars).trim();
  return {
    description: described === "" ? `The tool "${tool.name}" of the server "${server}"` : described,
    inputSchema,
    ...(label !== "" && { label }),
    parseInput: parserOf(inputSchema),
  };
}

/** Hash of all that a user could know of the tool when they allowed it: another one means that the server has changed it. */
export function digestOf(server: string, tool: Tool): string {
  const { name, title, description, inputSchema, annotations } = tool;
  const declared = { server, name, title, description, inputSchema, annotations };
  // JSON, as the server sent it; `hashJson` leaves out what is undefined.
  return hashJson(declared as unknown as JsonValue);
}

/** The server checks its input again, so a schema that cannot be checked here costs nothing but a round trip. */
function parserOf(inputSchema: JsonSchema): ToolContract["parseInput"] {
  try {
    const input = withoutPatterns(inputSchema);
    return defineTool({ name: "input", description: "Input", input }).parseInput;
  } catch {
    // A keyword that is not known here, or a reference to another document, which is never fetched.
    return undefined;
  }
}
