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
  { children, context, tasks }: SessionFold,
  { settings }: TurnPlan,
  { call, budget }: TurnOrigin,
  isPromptChanged: boolean,
): boolean {
  // Budgets of a tree follow from the log.
  const hasSlice = budget !== undefined || (call !== undefined && tasks.budgetFor(call));
  if (!children.isAtRest || hasSlice) return false;
  // The size that the provider reported is that of another prompt.
  if (isPromptChanged && context.reported !== undefined) return false;
  const { prepareStep, transformContext, convertToLlm } = settings.context;
  const callbacks = [settings.guards?.input, prepareStep, transformContext, convertToLlm];
  return callbacks.every((callback) => callback === undefined);
}

/** Whether the limits of the next request can only be checked against a log that has all of it. */
export function mustBeStored(
  { facts, input }: Waiting,
  fold: SessionFold,
  { ephemeral, outputs: { maxTotalChars }, compaction, frame }: TurnPlan,
  size: ContextSize,
): boolean {
  const { children, outputs, compactions } = fold;
  // Usage and cost count against budgets.
  if (facts.some((fact) => fact.type !== "tool_result" || hasUsage(fact))) return true;
  const contents = facts.length === 0 ? noContents : outputsOf(fold, facts);
  if (contents.length > 0 && (ephemeral.size > 0 || !children.isAtRest)) return true;
  if (outputs.sizeWith(contents) > maxTotalChars) return true;
  if (compaction === undefined) return false;
  if (compactions.isWanted) return true;
  if (compaction.threshold === Infinity) return false;
  let tokens = 0;
  for (const content of contents) {
    tokens += mostTokensOfMessage({ ...outputMessage, content }, frame.hasCustom);
  }
  for (const message of input) tokens += mostTokensOfMessage(message, frame.hasCustom);
  return size.reaches(compaction.threshold - tokens, frame);
}

function hasUsage({ usage, cost }: ResultFact): boolean {
  return usage !== undefined || cost !== undefined;
}

/** Outputs of the last step: its results enter the context together, with the last of them. */
function outputsOf({ transcript }: SessionFold, facts: readonly Fact[]): ToolContent[] {
  const contents = (transcript.step?.results ?? []).map(({ output }) => output);
  for (const fact of facts) if (fact.type === "tool_result") contents.push(fact.result.output);
  return contents;
}

type ResultFact = Extract<Fact, { readonly type: "tool_result" }>;

const noContents: readonly ToolContent[] = [];

/** Only its content has a size. */
const outputMessage: ToolMessage = {
  role: "tool",
  id: "",
  toolCallId: "",
  toolName: "",
  content: "",
  isError: false,
};
