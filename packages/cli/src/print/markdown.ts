/** Renders a transcript as Markdown, for people. */
import type { AssistantPart, ChatMessage, ToolContent, UserPart } from "@capstan/kernel";

export interface MarkdownHead {
  readonly title: string;
  /** Shown as a list. */
  readonly facts: Readonly<Record<string, string>>;
  /** System prompt of the last turn; undefined if no turn has run. */
  readonly instructions?: string | undefined;
}

export function toMarkdown(
  { title, facts, instructions }: MarkdownHead,
  messages: readonly ChatMessage[],
): string {
  const listed = Object.entries(facts).map(([name, value]) => `- ${name}: ${value}`);
  const parts = messages.flatMap(messageParts).filter((part) => part !== "");
  const prompt = instructions === undefined ? [] : ["**Instructions:**", fenced(instructions)];
  return `${[`# ${title}`, listed.join("\n"), ...prompt, ...parts].join("\n\n")}\n`;
}

function messageParts(message: ChatMessage): readonly string[] {
  switch (message.role) {
    case "user": {
      const { content } = message;
      const parts: readonly UserPart[] =
        typeof content === "string" ? [{ type: "text", text: content }] : content;
      return ["## User", ...parts.map(contentPart)];
    }
    case "assistant":
      return ["## Assistant", ...message.content.map(assistantPart)];
    case "tool": {
      const { toolName, content, isError, isDenied, kept } = message;
      const heading = `**${toolName}** ${isDenied === true ? "was denied" : isError ? "failed" : "gave"}:`;
      const rest =
        kept === undefined
          ? []
          : [`(Shortened; all ${kept.chars} characters are in the JSONL export.)`];
      return [heading, ...toolParts(content), ...rest];
    }
    case "system":
    case "custom":
      return [];
    default:
      return message satisfies never;
  }
}

function assistantPart(part: AssistantPart): string {
  switch (part.type) {
    case "text":
    case "refusal":
      return part.text;
    case "thinking":
      return part.thinking === "" ? "" : part.thinking.replaceAll(/^/gm, "> ");
    case "tool_call":
      return `**${part.name}**\n\n${fenced(JSON.stringify(part.input, null, 2), "json")}`;
    case "native":
      return "";
    default:
      return part satisfies never;
  }
}

function toolParts(content: ToolContent): readonly string[] {
  if (typeof content === "string") return [fenced(content)];
  return content.map((part) => (part.type === "text" ? fenced(part.text) : contentPart(part)));
}

function contentPart(part: UserPart): string {
  if (part.type === "text") return part.text;
  if ("url" in part) return `(${part.type}: ${part.mediaType}, ${part.url})`;
  const bytes = Buffer.byteLength(part.data, "base64");
  return `(${part.type}: ${part.mediaType}, ${bytes} bytes)`;
}

/** Uses a fence longer than any in the text. */
function fenced(text: string, language = ""): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, "")}\n${fence}`;
}
