/** Asks the sources of an agent for the tools of one turn. */
import { isPromise } from "@capstan/kernel";
import type { MaybePromise } from "@capstan/log";
import { AgentError } from "../errors/agent-error.ts";
import type { AnyTool } from "../tools/tool.ts";
import type { ToolSource, ToolSourceRequest } from "../tools/tool-source.ts";
import type { AgentInit } from "./agent-init.ts";
import type { PlanRequest } from "./turn-plan.ts";

/** Lists of an agent's sources in its last turn, and their tools as one list, which hashes and compiled schemas are cached by. */
interface LastTools {
  readonly lists: readonly (readonly AnyTool[])[];
  readonly tools: readonly AnyTool[];
}

const lastTools = new WeakMap<AgentInit, LastTools>();

/** Returns the tools of all sources, in the order of the sources. Throws, or rejects, if one of them fails. */
export function askSources(
  init: AgentInit,
  { agentName, context, needed = [] }: PlanRequest,
  contextWindow: ToolSourceRequest["contextWindow"],
): MaybePromise<readonly AnyTool[]> {
  const { toolSources = [], logger } = init;
  const request: ToolSourceRequest = {
    agent: agentName,
    sessionId: context.session.id,
    turnId: context.turn.id,
    needed,
    logger,
    contextWindow,
  };
  const lists = toolSources.map((source) => source.tools(request));
  const merge = (known: readonly (readonly AnyTool[])[]): readonly AnyTool[] =>
    mergeLists(init, known);
  // Without a promise among them the plan stays synchronous.
  const known = lists.filter((list) => !isPromise(list));
  if (known.length === lists.length) return merge(known as readonly (readonly AnyTool[])[]);
  return Promise.all(lists.map(async (list) => list)).then(merge);
}

function mergeLists(init: AgentInit, lists: readonly (readonly AnyTool[])[]): readonly AnyTool[] {
  const last = lastTools.get(init);
  if (last?.lists.every((list, index) => list === lists[index]) === true) return last.tools;
  const { toolSources = [], logger } = init;
  const known = new Map<string, AnyTool>();
  for (const [index, list] of lists.entries()) {
    const source = toolSources[index];
    if (source !== undefined) requireTools(source, list);
    for (const tool of list) {
      if (known.has(tool.name)) logger?.log("warn", twice(tool.name, source));
      else known.set(tool.name, tool);
    }
  }
  const tools = [...known.values()];
  lastTools.set(init, { lists, tools });
  return tools;
}

function isTool(tool: unknown): boolean {
  const { name, inputSchema } = (tool ?? {}) as { readonly [field: string]: unknown };
  return typeof name === "string" && typeof inputSchema === "object";
}

/** Sources in JavaScript may return anything. */
function requireTools({ name }: ToolSource, list: readonly unknown[]): void {
  if (Array.isArray(list) && list.every(isTool)) return;
  throw new AgentError("invalid_option", `The tool source "${name}" returned no list of tools`);
}

function twice(name: string, source: ToolSource | undefined): string {
  return `The tool "${name}" of the source "${source?.name}" is ignored: another source has one with this name`;
}

const combined = new WeakMap<readonly AnyTool[], WeakMap<readonly AnyTool[], readonly AnyTool[]>>();

/** The tools of the turn, with those of sources after the others. One whose name is taken is left out. */
export function withFound(own: readonly AnyTool[], found: readonly AnyTool[]): readonly AnyTool[] {
  if (found.length === 0) return own;
  let byOwn = combined.get(found);
  if (byOwn === undefined) combined.set(found, (byOwn = new WeakMap()));
  let tools = byOwn.get(own);
  if (tools === undefined) {
    const names = new Set(own.map(({ name }) => name));
    tools = [...own, ...found.filter(({ name }) => !names.has(name))];
    byOwn.set(own, tools);
  }
  return tools;
}
