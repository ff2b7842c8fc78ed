/** The tools of one turn: those of the agent, or what a session has chosen among them and was lent. */
import type { JsonValue, ToolDeclaration } from "@capstan/kernel";
import { hashJson } from "@capstan/kernel";
import type { LentTool, SessionConfig } from "@capstan/log";
import { defineTool } from "../tools/define-tool.ts";
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
    const { inputSchema: input, ...plain } = lent;
    lentTools.set(lent, (tool = defineTool({ ...plain, input })));
  }
  return tool;
}

const hashes = new WeakMap<readonly AnyTool[], string>();

/** Of what a model is told of them. */
export function hashOfTools(tools: readonly AnyTool[]): string {
  let hash = hashes.get(tools);
  if (hash === undefined) {
    // A JSON Schema is JSON.
    const declarations = tools.map(toDeclaration) as unknown as JsonValue;
    hashes.set(tools, (hash = hashJson(declarations)));
  }
  return hash;
}

function toDeclaration({ name, description, inputSchema }: AnyTool): ToolDeclaration {
  return { name, description, inputSchema };
}
