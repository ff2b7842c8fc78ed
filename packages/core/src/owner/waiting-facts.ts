/** Decides what of a turn may wait for the next append: only what no decision in between has to see in the log. */
import type { ChatMessage, Fact, ToolContent, ToolMessage } from "@capstan/kernel";
import type { SessionFold, TurnOrigin } from "@capstan/log";
import type { TurnPlan } from "../agent/turn-plan.ts";
import { mostTokensOfMessage } from "../context/estimate-tokens.ts";
import type { ContextSize } from "../context/token-count.ts";

/** Content that is not in the log yet. */
export interface Waiting {
  readonly facts: readonly Fact[];
  /** Messages of the turn's input, if its start is not in the log. */
  readonly input: readonly ChatMessage[];
}

/** Whether the start of a turn may be stored together with its first request. */
export function mayOpenLater(
  { children, context }: SessionFold,
  { settings }: TurnPlan,
  origin: TurnOrigin,
  isPromptChanged: boolean,
): boolean {
  // Budgets of a tree follow from the log.
  if (!children.isEmpty || origin.call !== undefined) return false;
  // The size that the provider reported is that of another prompt.
  if (isPromptChanged && context.reported !== undefined) return false;
  const { prepareStep, transformContext, convertToLlm } = settings.context;
  const callbacks = [settings.guards?.input, prepareStep, transformContext, convertToLlm];
  return callbacks.every((callback) => callback === undefined);
}

/** Whether the limits of the next request can only be checked against a log that has all of it. */
export function mustBeStored(
  { facts, input }: Waiting,
  { children, outputs, compactions }: SessionFold,
  { ephemeral, outputs: { maxTotalChars }, compaction, frame }: TurnPlan,
  size: ContextSize,
): boolean {
  const contents: ToolContent[] = [];
  let tokens = 0;
  for (const fact of facts) {
    // Usage and cost count against budgets.
    if (fact.type !== "tool_result" || fact.usage !== undefined || fact.cost !== undefined)
      return true;
    contents.push(fact.result.output);
    tokens += mostTokensOfMessage(toToolMessage(fact), frame.hasCustom);
  }
  if (contents.length > 0 && (ephemeral.size > 0 || !children.isEmpty)) return true;
  if (outputs.sizeWith(contents) > maxTotalChars) return true;
  if (compaction === undefined) return false;
  if (compactions.isWanted) return true;
  for (const message of input) tokens += mostTokensOfMessage(message, frame.hasCustom);
  const { threshold } = compaction;
  return threshold !== Infinity && size.reaches(threshold - tokens, frame);
}

function toToolMessage(fact: Extract<Fact, { readonly type: "tool_result" }>): ToolMessage {
  const { toolCallId, toolName, result } = fact;
  const { output: content, isError } = result;
  return { role: "tool", id: "", toolCallId, toolName, content, isError };
}
