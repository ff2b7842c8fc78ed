/** The system prompt of an agent. */
import type { AgentInit, InstructionsContext } from "./agent-init.ts";

/** Undefined: there is none. */
export async function instructionsOf(
  { instructions }: AgentInit,
  context: InstructionsContext,
): Promise<string | undefined> {
  if (typeof instructions === "string") return instructions;
  return instructions === undefined ? defaultInstructions(context) : instructions(context);
}

/** As little as helps: models call tools more readily when they are told that they may. */
function defaultInstructions({ tools }: InstructionsContext): string | undefined {
  if (tools.length === 0) return undefined;
  return "Use the tools where they help. Answer when you are done.";
}
