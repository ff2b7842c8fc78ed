/** The reason why a turn has no answer, in words. */
import type { FinishReason, TurnResponse } from "@capstan/kernel";

/** Completes a sentence such as `The agent gave no answer: …`. The vendor's or the model's own reason comes first. */
export function whyNoAnswer(response: TurnResponse): string {
  const { status, text, error, finishReason, messages, hasAnswer } = response;
  if (error !== undefined) return error.message;
  if (hasAnswer) return "the turn ended with a text that is no value of the agent's output schema";
  if (status !== "completed") return `it ended ${status} (${finishReason})`;
  const said = text === "" ? "" : `: ${text.slice(0, maxReasonChars)}`;
  const last = messages.findLast((message) => message.role === "assistant");
  const isRefused = last?.content.some((part) => part.type === "refusal") ?? false;
  if (isRefused) return `the model refused${said}`;
  return `${reasons[finishReason] ?? "the reply is empty"} (${finishReason})`;
}

/** A refusal is a sentence or two; more would hide the rest of the message. */
const maxReasonChars = 500;

const reasons: Readonly<Partial<Record<FinishReason, string>>> = {
  "content-filter": "the provider's content filter stopped the reply",
  "max-steps": "the limit of steps was reached before the model answered",
  "budget-exceeded": "a budget was used up before the model answered",
  "context-exhausted": "the context window is full",
  length: "the token limit was reached before the first word",
};
