/** How many tokens something has, roughly, and rather too many than too few: every vendor cuts text in its own way. */
import type {
  ChatMessage,
  DocumentPart,
  ImagePart,
  TextPart,
  ToolDeclaration,
} from "@capstan/kernel";

/** English prose has more letters to a token, code and JSON fewer. */
const asciiPerToken = 3.5;
/** European letters beyond ASCII, Greek, Cyrillic. */
const alphabeticPerToken = 2;
/** Of all other scripts, for each UTF-16 unit. No text has more tokens than this for a unit. */
const maxTokensPerUnit = 1.25;
/** What a vendor puts around each message, and each part of it that is not plain text. */
const framing = 4;
/** A large picture, at the vendors that count by its size. */
const imageTokens = 1_600;
/** Of a document that is not text: pages are counted as text and as pictures, and nobody has looked into it. */
const documentBytesPerToken = 20;
const minDocumentTokens = 1_500;

const firstNonAlphabetic = 0x590;

export function tokensOfText(text: string): number {
  let alphabetic = 0;
  let other = 0;
  for (let place = 0; place < text.length; place++) {
    const unit = text.charCodeAt(place);
    if (unit < 0x80) continue;
    if (unit < firstNonAlphabetic) alphabetic++;
    else other++;
  }
  const ascii = text.length - alphabetic - other;
  return Math.ceil(
    ascii / asciiPerToken + alphabetic / alphabeticPerToken + other * maxTokensPerUnit,
  );
}

/** Of one message as it is. Messages of the application count where somebody makes them into something that a model sees. */
export function tokensOfMessage(message: ChatMessage, hasCustom: boolean): number {
  return framing + sumOf(message, hasCustom, tokensOfText);
}

/** Never less than the tokens, and known without looking at the text. */
export function mostTokensOfMessage(message: ChatMessage, hasCustom: boolean): number {
  return framing + sumOf(message, hasCustom, mostTokensOfText);
}

function mostTokensOfText(text: string): number {
  return 1 + text.length * maxTokensPerUnit;
}

export function tokensOfTools(tools: readonly ToolDeclaration[]): number {
  let tokens = 0;
  for (const { name, description, inputSchema } of tools) {
    tokens +=
      framing + tokensOfText(name) + tokensOfText(description) + tokensOfSchema(inputSchema);
  }
  return tokens;
}

/** A schema is made once and sent with every request. */
const tokensOfKnown = new WeakMap<ToolDeclaration["inputSchema"], number>();

function tokensOfSchema(schema: ToolDeclaration["inputSchema"]): number {
  let tokens = tokensOfKnown.get(schema);
  if (tokens === undefined) {
    tokens = tokensOfText(JSON.stringify(schema));
    tokensOfKnown.set(schema, tokens);
  }
  return tokens;
}

type Measure = (text: string) => number;

function sumOf(message: ChatMessage, hasCustom: boolean, measure: Measure): number {
  switch (message.role) {
    case "system":
      return measure(message.content);
    case "custom":
      return hasCustom ? measure(JSON.stringify(message.data)) : 0;
    case "user":
    case "tool":
      return typeof message.content === "string"
        ? measure(message.content)
        : sumOfParts(message.content, measure);
    case "assistant":
      return sumOfReply(message, measure);
    default:
      return message satisfies never;
  }
}

function sumOfParts(
  parts: readonly (TextPart | ImagePart | DocumentPart)[],
  measure: Measure,
): number {
  let sum = 0;
  for (const part of parts) {
    if (part.type === "text") sum += measure(part.text);
    else sum += framing + (part.type === "image" ? imageTokens : tokensOfDocument(part));
  }
  return sum;
}

function tokensOfDocument({ mediaType, data }: DocumentPart): number {
  const bytes = (data.length * 3) / 4;
  if (mediaType.startsWith("text/")) return Math.ceil(bytes / alphabeticPerToken);
  return Math.max(minDocumentTokens, Math.ceil(bytes / documentBytesPerToken));
}

/** One that failed is shown to nobody. */
function sumOfReply(
  { content, stopReason }: Extract<ChatMessage, { role: "assistant" }>,
  measure: Measure,
): number {
  if (stopReason === "error") return 0;
  let sum = 0;
  for (const part of content) {
    switch (part.type) {
      case "text":
      case "refusal":
        sum += measure(part.text);
        break;
      case "thinking":
        sum += measure(part.thinking);
        break;
      case "tool_call":
        sum += framing + measure(`${part.name}${JSON.stringify(part.input)}`);
        break;
      case "native":
        sum += framing + measure(JSON.stringify(part.data));
        break;
      default:
        part satisfies never;
    }
  }
  return sum;
}
