/** Tools for one turn: the same ones, with the dependencies of its scope. */
import type { ToolContract } from "@capstan/kernel";
import type { DependencyScope } from "./dependency-scope.ts";
import { inScope } from "./scoped-function.ts";
import type { AnyTool } from "./tool.ts";

/** Cheap enough for every turn. Tools that `defineTool` did not make, and remote ones, are given back as they are. */
export function bindTools(
  tools: readonly AnyTool[],
  scope: DependencyScope,
): readonly ToolContract[] {
  return tools.map((tool) => bindTool(tool, scope));
}

function bindTool(tool: AnyTool, scope: DependencyScope): ToolContract {
  const execute = tool.execute && inScope(tool.execute, scope);
  const reconcile = tool.reconcile && inScope(tool.reconcile, scope);
  if (execute === tool.execute && reconcile === tool.reconcile) return tool;
  // A copy with fields of its own, not an object on top of the tool: providers may write what they get as JSON.
  const bound: ToolContract = { ...plainFields(tool) };
  if (execute !== undefined) bound.execute = execute;
  if (reconcile !== undefined) bound.reconcile = reconcile;
  return bound;
}

/** Copies without a getter, which V8 copies again in a twentieth of the time. A tool never changes, so one is enough. */
const plainCopies = new WeakMap<AnyTool, ToolContract>();

function plainFields(tool: AnyTool): ToolContract {
  const known = plainCopies.get(tool);
  if (known !== undefined) return known;
  const copy: ToolContract = { ...tool };
  plainCopies.set(tool, copy);
  return copy;
}
