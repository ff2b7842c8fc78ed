/** Encodes a request. */
import type { ProviderRequest, ToolChoice, ToolDeclaration } from "@capstan/kernel";
import { mergeExtra, vendorOptionsOf } from "../../wire/merge-extra.ts";
import { nothingToSay } from "../../projection/nothing-to-say.ts";
import type { Target, WireRequest } from "../../wire/protocol.ts";
import { isBlankText } from "../../projection/shown-media.ts";
import { askFor } from "../../projection/thinking-levels.ts";
import type { JsonObject } from "../../wire/wire-json.ts";
import { listOf } from "../../wire/wire-json.ts";
import { encodeContents } from "./encode-contents.ts";
import { traitsOf } from "./gemini-models.ts";
import type {
  FunctionDeclaration,
  GenerateRequest,
  GenerationConfig,
  ThinkingConfig,
  ToolConfig,
} from "./request.ts";

/** Fields the caller cannot override: the reply could not be decoded. */
const reserved = ["contents"];

export function encode(request: ProviderRequest, target: Target): WireRequest {
  const { options } = request;
  const { model, provider } = target.origin;
  const { needsSignatures } = traitsOf(model);
  const { modelFacts: facts, systemPrompt = "", serviceTier } = options;
  const extra = vendorOptionsOf(options, provider);
  const encoded = encodeContents(request.messages, target, { facts, needsSignatures });
  if (encoded.contents.length === 0) throw nothingToSay(target);
  const own = isBlankText(systemPrompt) ? [] : [{ text: systemPrompt }];
  const system = [...own, ...encoded.system];
  const declarations = request.tools.map(toDeclaration);
  const choice = request.toolChoice ?? options.toolChoice;
  const hasTools = declarations.length > 0;
  const config = configOf(request, model);
  const hasOwnTools = listOf(extra["tools"]).length > 0;
  const toolConfig: ToolConfig = {
    ...(hasTools && choice !== undefined && choice !== "auto" && toConfig(choice)),
    // Without this the vendor rejects its own tools next to functions.
    ...(hasTools && hasOwnTools && { includeServerSideToolInvocations: true }),
  };
  // Constant fields first, growing fields after them.
  const body: GenerateRequest = {
    ...(Object.keys(config).length > 0 && { generationConfig: config }),
    ...(serviceTier !== undefined && { serviceTier }),
    ...(hasTools && { tools: [{ functionDeclarations: declarations }] }),
    ...(system.length > 0 && { systemInstruction: { parts: system } }),
    contents: encoded.contents,
    ...(Object.keys(toolConfig).length > 0 && { toolConfig }),
  };
  return {
    path: pathOf(model, target.isStreaming),
    // All JSON, except that nothing guarantees it for tool schemas.
    body: mergeExtra(body as unknown as JsonObject, extra, reserved),
    partAt: encoded.partAt,
  };
}

/** A name with a slash denotes a tuned model. */
function pathOf(model: string, isStreaming: boolean): string {
  const name = model.includes("/") ? model : `models/${model}`;
  const path = name.split("/").map(encodeURIComponent).join("/");
  return `/v1beta/${path}:${isStreaming ? "streamGenerateContent?alt=sse" : "generateContent"}`;
}

function configOf({ options }: ProviderRequest, model: string): GenerationConfig {
  const { maxTokens, temperature, topP, topK, seed, stop, output } = options;
  const { frequencyPenalty, presencePenalty } = options;
  const thinking = thinkingOf({ options }, model);
  return {
    ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(topK !== undefined && { topK }),
    ...(seed !== undefined && { seed }),
    ...(stop !== undefined && { stopSequences: stop }),
    ...(frequencyPenalty !== undefined && { frequencyPenalty }),
    ...(presencePenalty !== undefined && { presencePenalty }),
    ...(thinking && { thinkingConfig: thinking }),
    ...(output && { responseMimeType: "application/json", responseJsonSchema: output.schema }),
  };
}

function thinkingOf(
  { options }: Pick<ProviderRequest, "options">,
  model: string,
): ThinkingConfig | undefined {
  const { thinking, levels } = traitsOf(model);
  const known = options.modelFacts?.thinking;
  if (thinking === "none" || known === false) return undefined;
  const ask = askFor(options, levels, thinking === "budget");
  switch (ask.type) {
    case "default":
      return { includeThoughts: true };
    case "off":
      return { thinkingBudget: 0 };
    case "budget":
      return { includeThoughts: ask.tokens > 0, thinkingBudget: ask.tokens };
    case "word":
      return { includeThoughts: true, thinkingLevel: ask.word };
    default:
      return ask satisfies never;
  }
}

function toDeclaration({ name, description, inputSchema }: ToolDeclaration): FunctionDeclaration {
  return { name, description, parametersJsonSchema: inputSchema };
}

function toConfig(choice: Exclude<ToolChoice, "auto">): ToolConfig {
  if (choice === "none") return { functionCallingConfig: { mode: "NONE" } };
  const allowed = typeof choice === "object" ? { allowedFunctionNames: [choice.tool] } : {};
  return { functionCallingConfig: { mode: "ANY", ...allowed } };
}
