/** The answer of a turn: the text of its last reply, or the message of the tool that ended it. */
import type {
  AssistantMessage,
  AssistantPart,
  ChatMessage,
  FinishReason,
  JsonValue,
  ToolContent,
  ToolContentPart,
  ToolMessage,
} from "../contracts/conversation.ts";

export interface TurnAnswer {
  /** Text of the last reply, also if it is no answer: a refusal, or a reply that was cut off. */
  readonly text: string;
  readonly hasAnswer: boolean;
  /** Provider's information about the last reply. */
  readonly metadata: JsonValue | undefined;
}

/** Reasons after which a turn has no answer, whatever its last reply says. */
const unanswered: ReadonlySet<FinishReason> = new Set([
  "tool-calls",
  "content-filter",
  "budget-exceeded",
  "context-exhausted",
  "error",
  "aborted",
]);

/** `messages` are the new ones of the turn. */
export function answerOf(messages: readonly ChatMessage[], finishReason: FinishReason): TurnAnswer {
  const at = messages.findLastIndex((message) => message.role === "assistant");
  const last = messages[at];
  const reply = last?.role === "assistant" ? last : undefined;
  const results = messages.slice(at + 1).filter((message) => message.role === "tool");
  const metadata = reply?.metadata;
  if (finishReason === "stop" && isTerminal(results)) {
    return { text: textOfResults(results), hasAnswer: true, metadata };
  }
  const said = reply === undefined ? "" : joined(reply.content);
  // A stop condition ended the turn after tool calls: without a word of the model, their results are all there is.
  const text = said === "" && finishReason === "stop" ? textOfResults(results) : said;
  const isAnswer = !unanswered.has(finishReason) && text !== "" && !isRefusal(reply);
  // A turn that ran out of steps has an answer only if the model was asked to close it.
  const isCut = finishReason === "max-steps" && results.length > 0;
  return { text, hasAnswer: isAnswer && !isCut, metadata };
}

/** Whether calls that end a turn have ended it. */
function isTerminal(results: readonly ToolMessage[]): boolean {
  return results.length > 0 && results.every((result) => result.isTerminal === true);
}

/** Whether the provider or the model refused to answer. */
function isRefusal(reply: AssistantMessage | undefined): boolean {
  return reply?.content.some((part) => part.type === "refusal") ?? false;
}

function textOfResults(results: readonly ToolMessage[]): string {
  return results.map(({ content }) => toText(content)).join("\n");
}

function toText(content: ToolContent): string {
  return typeof content === "string" ? content : joined(content);
}

function joined(parts: readonly (AssistantPart | ToolContentPart)[]): string {
  return parts
    .map((part) => (part.type === "text" || part.type === "refusal" ? part.text : ""))
    .join("");
}
