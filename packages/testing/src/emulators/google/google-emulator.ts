/** Local emulator of Google's Gemini API (`generateContent`, v1beta). */
import type { AcceptedRequest, Emulation, WireHeaders } from "../emulation.ts";
import { startEmulator } from "../emulator.ts";
import type { Emulator, EmulatorOptions } from "../emulator.ts";
import type { EmulatorScriptItem } from "../emulated-request.ts";
import type { JsonObject } from "../json.ts";
import { SharedPrefixCache } from "../shared-prefix-cache.ts";
import { estimateTokens } from "../token-estimate.ts";
import { checkContents } from "./check-contents.ts";
import { checkMedia } from "./check-media.ts";
import { checkSettings } from "./check-settings.ts";
import { checkTools } from "./check-tools.ts";
import {
  errorBody,
  invalid,
  noKey,
  notFound,
  tooManyTokens,
  vendorFailures,
  wrongKey,
} from "./errors.ts";
import { arrayFrames, eventFrames } from "./frames.ts";
import type { GenerateRequest } from "./generate-request.ts";
import { modelTraits, newestTraits } from "./model-traits.ts";
import type { ModelTraits } from "./model-traits.ts";
import { readMessage } from "./proto.ts";
import { requestMessage } from "./request-fields.ts";
import { toRequestView } from "./request-view.ts";
import { Signatures } from "./signatures.ts";
import { GenerateReply } from "./write-reply.ts";

/** Options of `googleEmulator`. */
export interface GoogleEmulatorOptions extends EmulatorOptions {
  /** True to stream call arguments in pieces, as Vertex AI does on request. */
  readonly streamsArguments?: boolean;
}

/**
 * Starts an emulator of Google's generateContent API on a local port. The next item of the script answers each
 * request that the service would accept.
 */
export async function googleEmulator(
  script: readonly EmulatorScriptItem[],
  options: GoogleEmulatorOptions = {},
): Promise<Emulator> {
  return startEmulator(googleEmulation(options), script);
}

const route = /^\/v1(?:beta|alpha)?\/models\/([^/:]+):(generateContent|streamGenerateContent)$/;

function googleEmulation(options: GoogleEmulatorOptions): Emulation {
  const { maxBodyBytes = 20 * 1024 * 1024, minCacheTokens = 1024, trustsForeign = false } = options;
  const { apiKey, streamsArguments = false } = options;
  const signatures = new Signatures(trustsForeign);
  const cache = new SharedPrefixCache(minCacheTokens);
  let ids = 0;

  function newId(): string {
    ids += 1;
    return String(ids).padStart(8, "0");
  }

  function accept(body: JsonObject, _: WireHeaders, url: URL): AcceptedRequest {
    const { model, isStreaming } = targetOf(url);
    const traits = traitsOf(model, options);
    const read = readMessage(requestMessage, body);
    // The line above parsed its fields.
    const request = read as GenerateRequest;
    checkTools(request, traits);
    checkSettings(request, traits);
    checkContents(request);
    checkMedia(request);
    signatures.check(request.contents ?? [], traits);
    const usage = countInput(model, read, cache);
    const window = options.contextWindow ?? traits.contextWindow;
    if (usage.inputTokens > window) throw tooManyTokens(usage.inputTokens, window);
    const isArray = isStreaming && !isSse(url);
    return {
      isStreaming,
      ...(isArray ? { streamType: "application/json; charset=UTF-8" } : {}),
      usage,
      view: toRequestView(model, request),
      reply: () =>
        new GenerateReply({
          model,
          traits,
          frames: isArray ? arrayFrames() : eventFrames(),
          signatures,
          showsThoughts: request.generationConfig?.thinkingConfig?.includeThoughts === true,
          streamsArguments: streamsArguments && isStreaming,
          usage,
          responseId: `emulated-${newId()}`,
          newCallId: newId,
        }),
    };
  }

  return {
    name: "the Google emulator",
    path: route,
    basePath: "",
    maxBodyBytes,
    brokenEvent: 'data: {"candidates":\r\n\r\n',
    authorize(headers, url) {
      const key = headers["x-goog-api-key"] || url.searchParams.get("key");
      if (!key) throw noKey();
      if (apiKey !== undefined && key !== apiKey) throw wrongKey();
    },
    accept,
    wrong: {
      path: () => notFound(),
      method: () => notFound(),
      json: (reason) => invalid(`Invalid JSON payload received. ${reason}`),
      tooLarge: () => invalid(`Request payload size exceeds the limit: ${maxBodyBytes} bytes.`),
    },
    failures: vendorFailures,
    // A client that expects an array gets one.
    errorBody: (refusal, _, url) =>
      targetOf(url).isStreaming && !isSse(url) ? [errorBody(refusal)] : errorBody(refusal),
    responseHeaders: () => ({}),
  };
}

function targetOf({ pathname }: URL): { readonly model: string; readonly isStreaming: boolean } {
  const [, model = "", method] = route.exec(pathname) ?? [];
  return { model: decodeURIComponent(model), isStreaming: method === "streamGenerateContent" };
}

function isSse({ searchParams }: URL): boolean {
  return searchParams.get("alt") === "sse";
}

/** The prompt starts with what changes least. */
function countInput(
  model: string,
  { systemInstruction = null, tools = [], contents = [] }: JsonObject,
  cache: SharedPrefixCache,
): { inputTokens: number; cacheReadTokens: number } {
  const prompt = [systemInstruction, tools, contents];
  const inputTokens = estimateTokens(prompt);
  const text = prompt.map((piece) => JSON.stringify(piece)).join("\n");
  const cacheReadTokens = Math.min(inputTokens, cache.use(model, text));
  return { inputTokens, cacheReadTokens };
}

function traitsOf(model: string, { models }: GoogleEmulatorOptions): ModelTraits {
  if (models?.includes(model) === true) return modelTraits(model) ?? newestTraits;
  const traits = models === undefined ? modelTraits(model) : undefined;
  if (traits !== undefined) return traits;
  throw notFound(
    `models/${model} is not found for API version v1beta, or is not supported for generateContent. Call ModelService.ListModels to see the list of available models and their supported methods.`,
  );
}
