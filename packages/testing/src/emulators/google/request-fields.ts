/** Messages that a request to the Gemini API consists of. */
import {
  bool,
  bytes,
  float,
  int32,
  int64,
  listOf,
  mapOf,
  message,
  oneOfThese,
  string,
  struct,
  value,
} from "./proto.ts";
import type { ProtoMessage, ProtoType } from "./proto.ts";

const blob = message("Blob", () => ({ mimeType: string, data: bytes }));
const fileData = message("FileData", () => ({ mimeType: string, fileUri: string }));

const functionCall = message("FunctionCall", () => ({ id: string, name: string, args: struct }));

const functionResponse = message("FunctionResponse", () => ({
  id: string,
  name: string,
  response: struct,
  parts: listOf(message("FunctionResponsePart", () => ({ inlineData: blob, fileData }))),
  willContinue: bool,
  scheduling: string,
}));

/** Kinds of parts. */
export const partData: readonly string[] = [
  "text",
  "inlineData",
  "functionCall",
  "functionResponse",
  "fileData",
  "executableCode",
  "codeExecutionResult",
  "toolCall",
  "toolResponse",
];

const part = message(
  "Part",
  () => ({
    text: string,
    inlineData: blob,
    fileData,
    functionCall,
    functionResponse,
    executableCode: struct,
    codeExecutionResult: struct,
    toolCall: struct,
    toolResponse: struct,
    thought: bool,
    thoughtSignature: bytes,
    videoMetadata: struct,
    partMetadata: struct,
    mediaResolution: struct,
    mediaProcessing: struct,
  }),
  partData,
);

const content = message("Content", () => ({ role: string, parts: listOf(part) }));

const schemaTypes = [
  "TYPE_UNSPECIFIED",
  "STRING",
  "NUMBER",
  "INTEGER",
  "BOOLEAN",
  "ARRAY",
  "OBJECT",
  "NULL",
];

/** A subset of OpenAPI, not of JSON Schema. */
const schema: ProtoMessage = message("Schema", () => ({
  type: oneOfThese("Type", ...schemaTypes),
  format: string,
  title: string,
  description: string,
  nullable: bool,
  enum: listOf(string),
  items: schema,
  maxItems: int64,
  minItems: int64,
  properties: mapOf(schema),
  required: listOf(string),
  minProperties: int64,
  maxProperties: int64,
  minimum: float,
  maximum: float,
  minLength: int64,
  maxLength: int64,
  pattern: string,
  example: value,
  anyOf: listOf(schema),
  propertyOrdering: listOf(string),
  default: value,
}));

const functionDeclaration = message("FunctionDeclaration", () => ({
  name: string,
  description: string,
  behavior: string,
  parameters: schema,
  parametersJsonSchema: value,
  response: schema,
  responseJsonSchema: value,
}));

/** The vendor's own tools, whose content is not checked. */
export const ownTools: readonly string[] = [
  "googleSearch",
  "googleSearchRetrieval",
  "codeExecution",
  "urlContext",
  "computerUse",
  "fileSearch",
  "googleMaps",
];

const tool = message("Tool", () => ({
  functionDeclarations: listOf(functionDeclaration),
  mcpServers: listOf(struct),
  ...Object.fromEntries(ownTools.map((name) => [name, struct] as const)),
}));

const functionCallingConfig = message("FunctionCallingConfig", () => ({
  mode: oneOfThese(
    "FunctionCallingConfig.Mode",
    "MODE_UNSPECIFIED",
    "AUTO",
    "ANY",
    "NONE",
    "VALIDATED",
  ),
  allowedFunctionNames: listOf(string),
}));

const toolConfig = message("ToolConfig", () => ({
  functionCallingConfig,
  retrievalConfig: struct,
  includeServerSideToolInvocations: bool,
}));

const thinkingConfig = message("ThinkingConfig", () => ({
  includeThoughts: bool,
  thinkingBudget: int32,
  thinkingLevel: oneOfThese(
    "ThinkingConfig.ThinkingLevel",
    "THINKING_LEVEL_UNSPECIFIED",
    "MINIMAL",
    "LOW",
    "MEDIUM",
    "HIGH",
  ),
}));

const generationConfig: ProtoType = message("GenerationConfig", () => ({
  candidateCount: int32,
  stopSequences: listOf(string),
  maxOutputTokens: int32,
  temperature: float,
  topP: float,
  topK: int32,
  seed: int32,
  responseMimeType: string,
  responseSchema: schema,
  responseJsonSchema: value,
  presencePenalty: float,
  frequencyPenalty: float,
  responseLogprobs: bool,
  logprobs: int32,
  enableEnhancedCivicAnswers: bool,
  responseModalities: listOf(
    oneOfThese("GenerationConfig.Modality", "MODALITY_UNSPECIFIED", "TEXT", "IMAGE", "AUDIO"),
  ),
  speechConfig: struct,
  imageConfig: struct,
  thinkingConfig,
  mediaResolution: string,
}));

export const requestMessage: ProtoMessage = message("GenerateContentRequest", () => ({
  model: string,
  contents: listOf(content),
  systemInstruction: content,
  tools: listOf(tool),
  toolConfig,
  safetySettings: listOf(
    message("SafetySetting", () => ({ category: string, threshold: string, method: string })),
  ),
  generationConfig,
  cachedContent: string,
  serviceTier: string,
  store: bool,
}));
