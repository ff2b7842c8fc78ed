/** The answer of a turn, as `run` returns it. */
import type { TurnResponse } from "@capstan/kernel";
import type { Agent } from "./agent.ts";

/** Returns the typed answer, or the text if the agent has no schema; undefined if there is no answer. */
export function replyOf(
  response: TurnResponse,
  { hasOutput }: Pick<Agent, "hasOutput">,
): { readonly value: unknown } | undefined {
  if (!response.hasAnswer) return undefined;
  if (!hasOutput) return { value: response.text };
  // A tool that ends the turn ends it with a text.
  return "output" in response ? { value: response.output } : undefined;
}
