/** Models and tools that were passed to a session as objects. The log has only their names, so another process must know them from the agent. */
import type { Model, ModelChoice } from "./model.ts";
import { nameOf, toModel } from "./model.ts";
import type { AnyTool } from "../tools/tool.ts";

export interface GivenObjects {
  readonly models: readonly Model[];
  /** Tools with code, which are not the agent's. */
  readonly tools: readonly AnyTool[];
}

export const nothingGiven: GivenObjects = { models: [], tools: [] };

interface Choices {
  readonly model?: ModelChoice | undefined;
  readonly tools?: readonly (string | AnyTool)[] | undefined;
}

/** Later objects replace earlier ones of the same name. */
export function withGiven(given: GivenObjects, { model, tools = [] }: Choices): GivenObjects {
  const coded = tools.filter((tool) => typeof tool !== "string" && tool.execute !== undefined);
  const isModel = model !== undefined && typeof model !== "string";
  if (!isModel && coded.length === 0) return given;
  return {
    models: isModel ? replaced(given.models, [toModel(model)], nameOf) : given.models,
    // Names were filtered out above.
    tools: replaced(given.tools, coded as readonly AnyTool[], ({ name }) => name),
  };
}

function replaced<T>(old: readonly T[], added: readonly T[], nameOf: (item: T) => string): T[] {
  const names = new Set(added.map(nameOf));
  return [...old.filter((item) => !names.has(nameOf(item))), ...added];
}
