/** Tools for one turn, bound to its context and to the dependencies of its scope. */
import type { ForwardedCall, ToolContract } from "@capstan/kernel";
import type { AppSchema } from "./app-schema.ts";
import type { DependencyScope } from "./dependency-scope.ts";
import type { Binding } from "./scoped-function.ts";
import { inScope } from "./scoped-function.ts";
import type { AnyTool } from "./tool.ts";

/**
 * Gives tools the dependencies of a scope. Cheap enough for every turn. Returns client-side tools, and tools not
 * made by `defineTool`, unchanged. `apps` has the application context of tools with a schema for it; without it
 * they get that of the scope.
 */
export function bindTools(
  tools: readonly AnyTool[],
  scope: DependencyScope,
  apps?: ReadonlyMap<AppSchema, unknown>,
): readonly ToolContract[] {
  const { context } = scope;
  return tools.map((tool) => {
    const { appContext } = tool;
    if (context === undefined || appContext === undefined || apps === undefined) {
      return bindTool(tool, { scope, context });
    }
    return bindTool(tool, { scope, context: { ...context, app: apps.get(appContext) } });
  });
}

function bindTool(tool: AnyTool, binding: Binding): ToolContract {
  const { needsApproval: rule, forward } = tool;
  const execute = tool.execute && inScope(tool.execute, binding);
  const reconcile = tool.reconcile && inScope(tool.reconcile, binding);
  const { context } = binding;
  const needsApproval: typeof rule =
    typeof rule === "function" ? (input) => rule(input, context) : rule;
  const isSame = execute === tool.execute && reconcile === tool.reconcile;
  if (isSame && needsApproval === rule && forward === undefined) return tool;
  // A copy with its own fields, not an object that inherits from the tool: providers may serialize it as JSON.
  const bound: Writable = { ...plainFields(tool) };
  if (execute !== undefined) bound.execute = execute;
  if (reconcile !== undefined) bound.reconcile = reconcile;
  if (needsApproval !== undefined) bound.needsApproval = needsApproval;
  if (forward !== undefined) {
    bound.forward = (input) => bindForwarded(tool.forward?.(input), binding);
  }
  return bound;
}

function bindForwarded(
  forwarded: ForwardedCall | undefined,
  binding: Binding,
): ForwardedCall | undefined {
  return forwarded && { ...forwarded, tool: bindTool(forwarded.tool, binding) };
}

type Writable = { -readonly [Field in keyof ToolContract]: ToolContract[Field] };

/** Copies without a getter, which V8 copies 20 times faster. A tool never changes, so one copy is enough. */
const plainCopies = new WeakMap<AnyTool, ToolContract>();

function plainFields(tool: AnyTool): ToolContract {
  const known = plainCopies.get(tool);
  if (known !== undefined) return known;
  const { appContext: _, ...copy } = tool;
  plainCopies.set(tool, copy);
  return copy;
}
