/** The tools of one turn: those of the agent, or those a session has chosen among them and its client-side tools. */
import type { JsonValue, ToolDeclaration } from "@capstan/kernel";
import { hashJson } from "@capstan/kernel";
import type { EntryOf, LentTool, SessionConfig } from "@capstan/log";
import { defineTool } from "../tools/define-tool.ts";
import { withoutPatterns } from "../tools/json-schema/without-patterns.ts";
import type { AnyTool } from "../tools/tool.ts";

/** A chosen tool may be missing by now, or in this process: a call of it gets an error result. */
export function chooseTools(
  own: readonly AnyTool[],
  chosen: SessionConfig["tools"],
  given: readonly AnyTool[] = [],
): readonly AnyTool[] {
  if (chosen === undefined) return own;
  return chosen.flatMap((choice) => {
    if (typeof choice !== "string") return [toTool(choice)];
    return [...own, ...given].find(({ name }) => name === choice) ?? [];
  });
}

/** Keyed by the declaration in the fold, which stays the same from turn to turn: its schema is compiled once. */
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

/** Hash and size of the tool declarations that a model sees. */
type ToolsInPrompt = Required<Pick<EntryOf<"prompt">, "toolsHash" | "toolsChars">>;

const known = new WeakMap<readonly AnyTool[], ToolsInPrompt>();

/** Returns the hash and size that the log stores. */
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
