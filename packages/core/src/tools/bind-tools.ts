/** Tools for one turn, bound to the dependencies of its scope. */
import type { ToolContract } from "@capstan/kernel";
import type { DependencyScope } from "./dependency-scope.ts";
import { inScope } from "./scoped-function.ts";
import type { AnyTool } from "./tool.ts";

/** Cheap enough for every turn. Returns client-side tools, and tools not made by `defineTool`, unchanged. */
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
  // A copy with its own fields, not an object that inherits from the tool: providers may serialize it as JSON.
  const bound: ToolContract = { ...plainFields(tool) };
  if (execute !== undefined) bound.execute = execute;
  if (reconcile !== undefined) bound.reconcile = reconcile;
  return bound;
}

/** Copies without a getter, which V8 copies 20 times faster. A tool never changes, so one copy is enough. */
const plainCopies = new WeakMap<AnyTool, ToolContract>();

function plainFields(tool: AnyTool): ToolContract {
  const known = plainCopies.get(tool);
  if (known !== undefined) return known;
  const copy: ToolContract = { ...tool };
  plainCopies.set(tool, copy);
  return copy;
}
