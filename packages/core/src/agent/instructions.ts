/** The system prompt of an agent. */
import type { Instructions, InstructionsContext } from "./agent-init.ts";

/** Undefined: there is none. */
export function instructionsOf(
  instructions: Instructions | undefined,
  context: InstructionsContext,
): string | undefined | Promise<string | undefined> {
  if (typeof instructions === "string") return instructions;
  return instructions === undefined ? defaultInstructions(context) : instructions(context);
}

/** As little as helps: models call tools more readily when they are told that they may. */
function defaultInstructions({ tools }: InstructionsContext): string | undefined {
  if (tools.length === 0) return undefined;
  return "Use the tools where they help. Answer when you are done.";
}
