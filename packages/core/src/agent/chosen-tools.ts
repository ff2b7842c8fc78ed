/** The tools of one turn: those of the agent, or what a session has chosen among them and was lent. */
import type { JsonValue, ToolDeclaration } from "@capstan/kernel";
import { hashJson } from "@capstan/kernel";
import type { EntryOf, LentTool, SessionConfig } from "@capstan/log";
import { defineTool } from "../tools/define-tool.ts";
import { withoutPatterns } from "../tools/json-schema/without-patterns.ts";
import type { AnyTool } from "../tools/tool.ts";

/** What a name stands for may be gone since it was configured: a call of it gets an error result. */
export function chooseTools(
  own: readonly AnyTool[],
  chosen: SessionConfig["tools"],
): readonly AnyTool[] {
  if (chosen === undefined) return own;
  return chosen.flatMap((choice) =>
    typeof choice === "string" ? own.filter(({ name }) => name === choice) : [toTool(choice)],
  );
}

/** By the declaration in the fold, which stays the same from turn to turn: its schema is compiled once. */
const lentTools = new WeakMap<LentTool, AnyTool>();

function toTool(lent: LentTool): AnyTool {
  let tool = lentTools.get(lent);
  if (tool === undefined) {
    const { inputSchema, ...plain } = lent;
    const checked = defineTool({ ...plain, input: withoutPatterns(inputSchema) });
    lentTools.set(lent, (tool = { ...checked, inputSchema }));
  }
  return tool;
}

/** Of what a model is told of tools. */
type ToolsInPrompt = Required<Pick<EntryOf<"prompt">, "toolsHash" | "toolsChars">>;

const known = new WeakMap<readonly AnyTool[], ToolsInPrompt>();

/** As the log has them. */
export function toolsInPrompt(tools: readonly AnyTool[]): ToolsInPrompt {
  let inPrompt = known.get(tools);
  if (inPrompt === undefined) {
    // A JSON Schema is JSON.
    const declarations = tools.map(toDeclaration) as unknown as JsonValue;
    const toolsChars = JSON.stringify(declarations).length;
    known.set(tools, (inPrompt = { toolsHash: hashJson(declarations), toolsChars }));
  }
  return inPrompt;
}

function toDeclaration({ name, description, inputSchema }: AnyTool): ToolDeclaration {
  return { name, description, inputSchema };
}
