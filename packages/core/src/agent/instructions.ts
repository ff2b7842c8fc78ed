/** The system prompt of an agent. */
import { TurnError } from "@capstan/kernel";
import { andThen } from "@capstan/log";
import type { Instructions, InstructionsContext } from "./agent-init.ts";

/** Undefined if there is none. */
export function instructionsOf(
  instructions: Instructions | undefined,
  context: InstructionsContext,
): string | undefined | Promise<string | undefined> {
  if (typeof instructions === "string") return instructions;
  if (instructions === undefined) return defaultInstructions(context);
  return andThen(instructions(context), toInstructions);
}

/** Untyped code may return anything, and every request begins with it. */
function toInstructions(returned: string | undefined): string | undefined {
  if (returned === undefined || typeof returned === "string") return returned;
  const message = `instructions returned a value of type ${typeof returned}: return a string, or undefined for none`;
  throw new TurnError("callback_failed", message);
}

/** A minimal prompt: models call tools more readily when they are told that they may. */
function defaultInstructions({ tools }: InstructionsContext): string | undefined {
  if (tools.length === 0) return undefined;
  return "Use the tools when they help. Answer when you are done.";
}
