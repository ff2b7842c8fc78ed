/** Local emulator of OpenAI's Responses API. */
import type { AcceptedRequest, Emulation, WireHeaders } from "../emulation.ts";
import { startEmulator } from "../emulator.ts";
import type { Emulator, EmulatorOptions } from "../emulator.ts";
import type { EmulatorScriptItem } from "../emulated-request.ts";
import type { JsonObject } from "../json.ts";
import { Refusal } from "../refusal.ts";
import { findShapeIssue } from "../shape.ts";
import { SharedPrefixCache } from "../shared-prefix-cache.ts";
import { estimateTokens } from "../token-estimate.ts";
import { checkInput } from "./check-input.ts";
import { checkMedia } from "./check-media.ts";
import { checkSettings } from "./check-settings.ts";
import { errorBody, invalid, toShapeRefusal, vendorFailures, wrong } from "./errors.ts";
import { ItemLedger } from "./item-ledger.ts";
import { modelTraits, newestTraits } from "./model-traits.ts";
import type { ModelTraits } from "./model-traits.ts";
import { requestShape } from "./request-shape.ts";
import { toRequestView } from "./request-view.ts";
import { toResponse } from "./response-object.ts";
import type { ResponsesRequest } from "./responses-request.ts";
import { itemsOf } from "./responses-request.ts";
import { ResponsesReply } from "./write-reply.ts";

/**
 * Starts an emulator of OpenAI's Responses API on a local port. The next item of the script answers each request
 * that the service would accept.
 */
export async function openAiResponsesEmulator(
  script: readonly EmulatorScriptItem[],
  options: EmulatorOptions = {},
): Promise<Emulator> {
  return startEmulator(responsesEmulation(options), script);
}

function responsesEmulation(options: EmulatorOptions): Emulation {
  const {
    maxBodyBytes = 512 * 1024 * 1024,
    minCacheTokens = 1024,
    trustsForeign = false,
  } = options;
  const ledger = new ItemLedger(trustsForeign);
  const cache = new SharedPrefixCache(minCacheTokens);
  let ids = 0;

  function newId(prefix: string): string {
    ids += 1;
    return `${prefix}${String(ids).padStart(prefix === "call_" ? 24 : 48, "0")}`;
  }

  function accept(body: JsonObject): AcceptedRequest {
    const issue = findShapeIssue(requestShape, body);
    if (issue !== undefined) throw toShapeRefusal(issue);
    // The line above checked its shape.
    const request = body as unknown as ResponsesRequest;
    const traits = traitsOf(request.model, options);
    checkSettings(request, traits);
    checkMedia(itemsOf(request.input));
    const input = checkInput(request, ledger);
    const usage = countInput(request, input, traits, cache);
    const window = options.contextWindow ?? traits.contextWindow;
    if (usage.inputTokens > window && request.truncation !== "auto") {
      throw invalid(
        "Your input exceeds the context window of this model. Please adjust your input and try again.",
        "input",
        "context_length_exceeded",
      );
    }
    const { include, reasoning, store, stream } = request;
    return {
      isStreaming: stream === true,
      usage,
      view: toRequestView(request, input),
      reply: () =>
        new ResponsesReply({
          ledger,
          input,
          isStored: store !== false,
          givesEncrypted: include?.includes("reasoning.encrypted_content") === true,
          showsSummary: Boolean(reasoning?.summary ?? reasoning?.generate_summary),
          hasPhases: traits.hasPhases,
          usage,
          countsCacheWrites: traits.countsCacheWrites,
          toResponse: (state) => toResponse(body, request, traits, state),
          newId,
          now: Date.now,
        }),
    };
  }

  return {
    name: "the OpenAI Responses emulator",
    path: "/v1/responses",
    basePath: "/v1",
    maxBodyBytes,
    authorize: (headers) => authorize(headers, options.apiKey),
    accept,
    wrong,
    failures: vendorFailures,
    errorBody,
    responseHeaders: (requestId) => ({ "x-request-id": requestId }),
  };
}

/** The prompt starts with what changes least. */
function countInput(
  request: ResponsesRequest,
  input: readonly JsonObject[],
  traits: ModelTraits,
  cache: SharedPrefixCache,
): { inputTokens: number; cacheReadTokens: number; cacheWriteTokens: number } {
  const prompt = [request.tools ?? [], request.instructions ?? "", ...input];
  const inputTokens = estimateTokens(prompt);
  const key = JSON.stringify([request.model, request.prompt_cache_key ?? null]);
  const known = cache.use(key, prompt.map((piece) => JSON.stringify(piece)).join("\n"));
  const cacheReadTokens = Math.min(inputTokens, known);
  const isKept = traits.countsCacheWrites && inputTokens >= 1024;
  return {
    inputTokens,
    cacheReadTokens,
    cacheWriteTokens: isKept ? inputTokens - cacheReadTokens : 0,
  };
}

function authorize(headers: WireHeaders, apiKey: string | undefined): void {
  const key = /^Bearer (.+)$/.exec(headers["authorization"] ?? "")?.[1];
  if (key === undefined) {
    throw new Refusal(
      "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).",
      { status: 401 },
    );
  }
  if (apiKey === undefined || key === apiKey) return;
  const shown = key.length > 12 ? `${key.slice(0, 8)}***${key.slice(-4)}` : "***";
  throw new Refusal(
    `Incorrect API key provided: ${shown}. You can find your API key at https://platform.openai.com/account/api-keys.`,
    { status: 401, code: "invalid_api_key" },
  );
}

/** The service answers with 400, unlike its older APIs. */
function traitsOf(model: string, { models }: EmulatorOptions): ModelTraits {
  if (models?.includes(model) === true) return modelTraits(model) ?? newestTraits;
  const traits = models === undefined ? modelTraits(model) : undefined;
  if (traits !== undefined) return traits;
  throw invalid(`The requested model '${model}' does not exist.`, "model", "model_not_found");
}
