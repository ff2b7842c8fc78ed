/** Rough token counts, too high rather than too low: every vendor tokenizes text differently. */
import type {
  ChatMessage,
  DocumentPart,
  ImagePart,
  JsonValue,
  TextPart,
  ToolDeclaration,
} from "@capstan/kernel";

/** English prose has more letters per token, code and JSON fewer. */
const asciiPerToken = 3.5;
/** European letters beyond ASCII, Greek, Cyrillic. */
const alphabeticPerToken = 2;
/** Tokens per UTF-16 unit of all other scripts. No text has more tokens per unit than this. */
const maxTokensPerUnit = 1.25;
/** Tokens that a vendor adds around each message, and around each part that is not plain text. */
const framing = 4;
/** A large image, for vendors that count by size. */
const imageTokens = 1_600;
/** For a document that is not text: vendors count its pages as text and as images, and its content is not read here. */
const documentBytesPerToken = 20;
const minDocumentTokens = 1_500;

const firstNonAlphabetic = 0x590;

export function tokensOfText(text: string): number {
  let alphabetic = 0;
  let other = 0;
  // Most text is ASCII only, and a regular expression skips that several times faster than the loop.
  const first = text.search(/[\u0080-\uffff]/);
  for (let index = first === -1 ? text.length : first; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    if (unit < firstNonAlphabetic) alphabetic++;
    else other++;
  }
  const ascii = text.length - alphabetic - other;
  return Math.ceil(
    ascii / asciiPerToken + alphabetic / alphabeticPerToken + other * maxTokensPerUnit,
  );
}

/** Tokens of one message. Custom messages count if the agent converts them for the model. */
export function tokensOfMessage(message: ChatMessage, hasCustom: boolean): number {
  return framing + sumOf(message, hasCustom, exact);
}

/** Upper bound of the tokens, computed without reading the text. */
export function mostTokensOfMessage(message: ChatMessage, hasCustom: boolean): number {
  return framing + sumOf(message, hasCustom, atMost);
}

/** Estimates the tokens that the declarations of tools take in a request. */
export function tokensOfTools(tools: readonly ToolDeclaration[]): number {
  let tokens = 0;
  for (const { name, description, inputSchema } of tools) {
    tokens +=
      framing + tokensOfText(name) + tokensOfText(description) + tokensOfSchema(inputSchema);
  }
  return tokens;
}

/** Token counts of schemas: a schema is created once and sent with every request. */
const tokensOfKnown = new WeakMap<ToolDeclaration["inputSchema"], number>();

function tokensOfSchema(schema: ToolDeclaration["inputSchema"]): number {
  let tokens = tokensOfKnown.get(schema);
  if (tokens === undefined) {
    tokens = tokensOfText(JSON.stringify(schema));
    tokensOfKnown.set(schema, tokens);
  }
  return tokens;
}

interface Measure {
  text(text: string): number;
  json(value: JsonValue): number;
}

const exact: Measure = {
  text: tokensOfText,
  json: (value) => tokensOfText(JSON.stringify(value)),
};

const atMost: Measure = {
  text: (text) => 1 + text.length * maxTokensPerUnit,
  json: (value) => 1 + mostUnitsOf(value) * maxTokensPerUnit,
};

/** JSON escapes turn one unit into six at most; no number needs more per unit. */
const unitsPerEscape = 6;
const mostUnitsOfNumber = 25;
/** Longer texts are read: a wrong bound would cost more than reading them. */
const shortText = 100;

/** Upper bound of the length of its JSON, without serializing short values. */
function mostUnitsOf(value: JsonValue): number {
  if (typeof value === "string") {
    return value.length > shortText
      ? JSON.stringify(value).length
      : 2 + value.length * unitsPerEscape;
  }
  if (typeof value !== "object" || value === null) return mostUnitsOfNumber;
  let units = 2;
  for (const name of Object.keys(value)) {
    // A list has its indexes as names; each exists.
    const inner = (value as { readonly [name: string]: JsonValue })[name] as JsonValue;
    units += 4 + name.length * unitsPerEscape + mostUnitsOf(inner);
  }
  return units;
}

function sumOf(message: ChatMessage, hasCustom: boolean, measure: Measure): number {
  switch (message.role) {
    case "system":
      return measure.text(message.content);
    case "custom":
      return hasCustom ? measure.json(message.data) : 0;
    case "user":
    case "tool":
      return typeof message.content === "string"
        ? measure.text(message.content)
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
    if (part.type === "text") sum += measure.text(part.text);
    else sum += framing + (part.type === "image" ? imageTokens : tokensOfDocument(part));
  }
  return sum;
}

function tokensOfDocument(part: DocumentPart): number {
  if ("url" in part) return minDocumentTokens;
  const { mediaType, data } = part;
  const bytes = (data.length * 3) / 4;
  if (mediaType.startsWith("text/")) return Math.ceil(bytes / alphabeticPerToken);
  return Math.max(minDocumentTokens, Math.ceil(bytes / documentBytesPerToken));
}

/** Failed replies are not shown to the model. */
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
        sum += measure.text(part.text);
        break;
      case "thinking":
        sum += measure.text(part.thinking);
        break;
      case "tool_call":
        sum += framing + measure.text(part.name) + measure.json(part.input);
        break;
      case "native":
        sum += framing + measure.json(part.data);
        break;
      default:
        part satisfies never;
    }
  }
  return sum;
}
