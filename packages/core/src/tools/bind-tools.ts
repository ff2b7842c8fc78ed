/** Tools for one turn, bound to its context and to the dependencies of its scope. */
import type { ToolContract } from "@capstan/kernel";
import type { DependencyScope } from "./dependency-scope.ts";
import type { Binding } from "./scoped-function.ts";
import { inScope } from "./scoped-function.ts";
import type { AnyTool } from "./tool.ts";

/** Cheap enough for every turn. Returns client-side tools, and tools not made by `defineTool`, unchanged. */
export function bindTools(
  tools: readonly AnyTool[],
  scope: DependencyScope,
): readonly ToolContract[] {
  const binding = { scope, context: scope.context };
  return tools.map((tool) => bindTool(tool, binding));
}

function bindTool(tool: AnyTool, binding: Binding): ToolContract {
  const { needsApproval: rule } = tool;
  const execute = tool.execute && inScope(tool.execute, binding);
  const reconcile = tool.reconcile && inScope(tool.reconcile, binding);
  const { context } = binding;
  const needsApproval: typeof rule =
    typeof rule === "function" ? (input) => rule(input, context) : rule;
  if (execute === tool.execute && reconcile === tool.reconcile && needsApproval === rule) {
    return tool;
  }
  // A copy with its own fields, not an object that inherits from the tool: providers may serialize it as JSON.
  const bound: Writable = { ...plainFields(tool) };
  if (execute !== undefined) bound.execute = execute;
  if (reconcile !== undefined) bound.reconcile = reconcile;
  if (needsApproval !== undefined) bound.needsApproval = needsApproval;
  return bound;
}

type Writable = { -readonly [Field in keyof ToolContract]: ToolContract[Field] };

/** Copies without a getter, which V8 copies 20 times faster. A tool never changes, so one copy is enough. */
const plainCopies = new WeakMap<AnyTool, ToolContract>();

function plainFields(tool: AnyTool): ToolContract {
  const known = plainCopies.get(tool);
  if (known !== undefined) return known;
  const copy: ToolContract = { ...tool };
  plainCopies.set(tool, copy);
  return copy;
}
