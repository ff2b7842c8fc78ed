/** A tool with which an agent hands the conversation over to another. */
import type { ChatMessage, ToolOutput } from "@capstan/kernel";
import { OtherAgents, withAgent } from "../tools/other-agents.ts";
import { toTool } from "../tools/define-tool.ts";
import type { Tool } from "../tools/tool.ts";
import { fail } from "../tools/tool-output.ts";
import type { Agent } from "./agent.ts";
import type { AgentTypes } from "./agent-types.ts";

/** Options of `handoff`: what the model is told, and which messages the next agent sees. */
export interface HandoffOptions<Name extends string = string> {
  /** Default: `hand_off_to_` and the name of the agent. */
  readonly name?: Name;
  /** Description for the model: when to hand over. */
  readonly description: string;
  readonly label?: string;
  /** Messages that the other agent may be shown, of those so far. A call and its results are shown together, or not at all. Default: all. */
  readonly filter?: (messages: readonly ChatMessage[]) => readonly ChatMessage[];
  /** Suspends the handoff until it is approved. */
  readonly needsApproval?: boolean;
}

const input = {
  type: "object",
  properties: { reason: { type: "string", description: "Why the other agent takes over." } },
  additionalProperties: false,
} as const;

/** See `ToolTypes`. */
export interface HandoffTypes<Name extends string> {
  readonly name: Name;
  readonly sent: { readonly reason?: string };
  readonly input: { readonly reason?: string };
  readonly accepts: (app: unknown) => void;
  readonly result: Promise<ToolOutput>;
}

/**
 * Creates a tool that hands the conversation over to another agent. The rest of the conversation belongs to the
 * other agent: its instructions, tools, guards, budgets and context policy apply from the next request on, in the
 * same turn and in later ones. Back again is another handoff: two agents that hand over to each other name one
 * another, as agents of their host. Needs a session.
 */
export function handoff<
  Known extends AgentTypes,
  const Name extends string = `hand_off_to_${Known["name"]}`,
>(
  agent: Agent<Known> | Known["name"],
  options: HandoffOptions<Name>,
): Tool<HandoffTypes<NoInfer<Name>>> {
  const to = typeof agent === "string" ? agent : agent.name;
  const { filter, name = `hand_off_to_${to}`, ...shown } = options;
  const tool = toTool({
    ...shown,
    name,
    input,
    effect: "idempotent",
    async execute(_, context) {
      const agents = await context.get(OtherAgents);
      return (
        (await agents?.handOff({ agent: to, filter, context })) ??
        fail("A conversation without a session cannot be handed over.")
      );
    },
  });
  // As defined here.
  return withAgent(tool, agent) as Tool<HandoffTypes<Name>>;
}
