/** Agents that are tools: how such a tool reaches the session that it works for, and how a host finds the agents. */
import type { ChatMessage, JsonValue, Suspension, ToolOutput, ToolResult } from "@capstan/kernel";
import type { Agent } from "../agent/agent.ts";
import type { Dependency } from "./dependency.ts";
import { dependency } from "./dependency.ts";
import type { AnyTool } from "./tool.ts";
import type { ToolContext } from "./tool-context.ts";

/** How long a child remembers: one call, or all calls of the tool in the parent session. */
export type ChildMemory = "call" | "session";

/** Whether a call waits for its child, or returns at once and the child's answer comes as a message. */
export type ChildMode = "awaited" | "background";

/** A call that a child session is to work on. */
export interface ChildCall {
  readonly agent: Agent;
  readonly task: string;
  readonly memory: ChildMemory;
  /** Name of the tool: children that remember are distinguished by it. */
  readonly toolName: string;
  /** Set if the call does not wait for the child. `timeoutMs` is the time that the child may work. */
  readonly background?: { readonly timeoutMs: number };
  /** Application context for the child, as the parent's caller gave it. */
  readonly app?: JsonValue;
  readonly context: ToolContext;
}

/** A call that hands the conversation over. */
export interface HandoffCall {
  /** Name of an agent of the host. */
  readonly agent: string;
  /** Messages that the other agent may be shown. Default: all. */
  readonly filter: ((messages: readonly ChatMessage[]) => readonly ChatMessage[]) | undefined;
  readonly context: ToolContext;
}

/** Functions of a session for tools that are agents. */
export interface SessionAgents {
  /** Starts a child session, or continues with the one that works on the call, until it has a result or waits. */
  runChild(call: ChildCall): Promise<ToolResult | ToolOutput | Suspension>;
  /** State of a child in the background, or of all. */
  statusOf(childId: string | undefined): ToolOutput;
  stopChild(childId: string, context: ToolContext): Promise<ToolOutput>;
  /** Gives the rest of the conversation to another agent, once the calls of this step have settled. */
  handOff(call: HandoffCall): Promise<ToolOutput>;
}

/** Overridden by sessions of agents that use agents; without a session there is none. */
export const OtherAgents: Dependency<SessionAgents | undefined> = dependency<
  SessionAgents | undefined
>("other agents", () => undefined, { scope: "session" });

const agentOfTool: unique symbol = Symbol("agent");
const modeOfTool: unique symbol = Symbol("mode");

/** Marks a tool as an agent, so that hosts know the agents that their agents use. An agent that is only known by its name must be the host's own. */
export function withAgent<Marked extends AnyTool>(
  tool: Marked,
  agent: Agent | string,
  mode?: ChildMode,
): Marked {
  // Enumerable: a copy of the tool, such as a guarded one, is an agent, too.
  return { ...tool, [agentOfTool]: agent, [modeOfTool]: mode };
}

function agentOf(tool: AnyTool): Agent | string | undefined {
  return (tool as { readonly [agentOfTool]?: Agent | string })[agentOfTool];
}

/** Whether one of these tools is an agent. */
export function hasAgent(tools: readonly AnyTool[]): boolean {
  return tools.some((tool) => agentOf(tool) !== undefined);
}

/** Whether one of these tools starts an agent in the background. */
export function hasBackground(tools: readonly AnyTool[]): boolean {
  return tools.some(
    (tool) => (tool as { readonly [modeOfTool]?: ChildMode })[modeOfTool] === "background",
  );
}

/** Names of the tools whose calls children work on. */
export function childToolNames(tools: readonly AnyTool[]): ReadonlySet<string> {
  const own = tools.filter(
    (tool) => (tool as { readonly [modeOfTool]?: ChildMode })[modeOfTool] !== undefined,
  );
  return new Set(own.map(({ name }) => name));
}

/** These agents, those that are their tools, and so on. */
export function withAllAgents(agents: readonly Agent[]): readonly Agent[] {
  const all = new Set(agents);
  for (const agent of all) {
    for (const tool of agent.tools) {
      const other = agentOf(tool);
      if (other !== undefined && typeof other !== "string") all.add(other);
    }
  }
  return [...all];
}
