/** How many tokens something has, roughly, and rather too many than too few: every vendor cuts text in its own way. */
import type {
  ChatMessage,
  DocumentPart,
  ImagePart,
  JsonValue,
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

/** Of one message as it is. Messages of the application count where somebody makes them into something that a model sees. */
export function tokensOfMessage(message: ChatMessage, hasCustom: boolean): number {
  return framing + sumOf(message, hasCustom, exact);
}

/** Never less than the tokens, and known without looking at the text. */
export function mostTokensOfMessage(message: ChatMessage, hasCustom: boolean): number {
  return framing + sumOf(message, hasCustom, atMost);
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

/** Six units for one is the most that JSON makes of a text; and so is this of a number. */
const unitsPerEscape = 6;
const mostUnitsOfNumber = 25;
/** To look at a longer text takes less than to be wrong about it. */
const shortText = 100;

/** Never less than the length of its JSON, and without making that of what is short. */
function mostUnitsOf(value: JsonValue): number {
  if (typeof value === "string") {
    return value.length > shortText
      ? JSON.stringify(value).length
      : 2 + value.length * unitsPerEscape;
  }
  if (typeof value !== "object" || value === null) return mostUnitsOfNumber;
  let units = 2;
  for (const name of Object.keys(value)) {
    // A list has its places as names; each is there.
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
