/** Local emulator of Anthropic's Messages API. */
import type { AcceptedRequest, Emulation, WireHeaders } from "../emulation.ts";
import { startEmulator } from "../emulator.ts";
import type { Emulator, EmulatorOptions } from "../emulator.ts";
import type { EmulatorScriptItem } from "../emulated-request.ts";
import type { JsonObject } from "../json.ts";
import { MarkedPromptCache } from "../marked-prompt-cache.ts";
import { Refusal } from "../refusal.ts";
import { findShapeIssue } from "../shape.ts";
import { toCacheBlocks } from "./cache-blocks.ts";
import { checkMedia } from "./check-media.ts";
import { checkMessages } from "./check-messages.ts";
import { checkSettings } from "./check-settings.ts";
import { errorBody, toShapeRefusal, vendorFailures, wrong } from "./errors.ts";
import { toTurns } from "./messages-request.ts";
import type { MessagesRequest } from "./messages-request.ts";
import { modelTraits, newestTraits } from "./model-traits.ts";
import type { ModelTraits } from "./model-traits.ts";
import { bindingControls, requestShape } from "./request-shape.ts";
import type { Dialect } from "./request-shape.ts";
import { toRequestView } from "./request-view.ts";
import { ThinkingLedger } from "./thinking-ledger.ts";
import { MessagesReply } from "./write-reply.ts";

/** Options of `anthropicEmulator`. */
export interface AnthropicEmulatorOptions extends EmulatorOptions {
  /** Size limit of an image's base64 text. Default 10 MB; it was 5 MB until 2026, and still is on other clouds. */
  readonly maxImageBytes?: number;
}

/**
 * Starts an emulator of Anthropic's Messages API on a local port. The next item of the script answers each request
 * that the service would accept.
 */
export async function anthropicEmulator(
  script: readonly EmulatorScriptItem[],
  options: AnthropicEmulatorOptions = {},
): Promise<Emulator> {
  return startEmulator(anthropicEmulation(options), script);
}

function anthropicEmulation(options: AnthropicEmulatorOptions): Emulation {
  const { apiKey, maxBodyBytes = 32 * 1024 * 1024, minCacheTokens = 1024 } = options;
  const { maxImageBytes = 10 * 1024 * 1024, trustsForeign = false } = options;
  const ledger = new ThinkingLedger(trustsForeign);
  const cache = new MarkedPromptCache(minCacheTokens);
  let ids = 0;

  function newId(prefix: string): string {
    ids += 1;
    return `${prefix}01${String(ids).padStart(22, "0")}`;
  }

  function accept(body: JsonObject, headers: WireHeaders): AcceptedRequest {
    const dialect = dialectOf(headers);
    const issue = findShapeIssue(requestShape(dialect), body);
    if (issue !== undefined) throw toShapeRefusal(issue);
    // The line above checked its shape.
    const request = body as unknown as MessagesRequest;
    const traits = traitsOf(request.model, options);
    const turns = toTurns(request.messages);
    checkSettings(request, traits);
    checkMessages(request, turns, {
      traits,
      dialect,
      isPaused: (content) => ledger.isPaused(content),
    });
    checkMedia(turns, traits, maxImageBytes);
    const { binding, dropped } = ledger.check(request, turns, traits, dialect.betas);
    const use = cache.use(toCacheBlocks(request, turns));
    const window = options.contextWindow ?? traits.contextWindow;
    if (use.total > window) {
      throw new Refusal(`prompt is too long: ${use.total} tokens > ${window} maximum`);
    }
    const display = request.thinking?.display;
    return {
      isStreaming: request.stream === true,
      usage: {
        inputTokens: use.total,
        cacheReadTokens: use.read,
        cacheWriteTokens: Object.values(use.written).reduce((sum, tokens) => sum + tokens, 0),
      },
      view: toRequestView(request, turns),
      reply: () =>
        new MessagesReply({
          model: request.model,
          ledger,
          binding,
          dropped: dialect.betas.includes(bindingControls) ? dropped : undefined,
          cache: use,
          hidesThinking: display ? display === "omitted" : traits.hidesThinking,
          stopSequences: request.stop_sequences ?? [],
          newId,
        }),
    };
  }

  return {
    name: "the Anthropic emulator",
    path: "/v1/messages",
    basePath: "",
    maxBodyBytes,
    authorize: (headers) => authorize(headers, apiKey),
    accept,
    wrong,
    failures: vendorFailures,
    errorBody,
    responseHeaders: (requestId) => ({ "request-id": requestId }),
  };
}

function authorize(headers: WireHeaders, apiKey: string | undefined): void {
  // The vendor's own client sends its key as a bearer token since version 1; the older header is documented as well.
  const key = headers["x-api-key"] ?? /^Bearer (.+)$/.exec(headers["authorization"] ?? "")?.[1];
  const unknown = { status: 401, type: "authentication_error" };
  if (!key) throw new Refusal("x-api-key header is required", unknown);
  if (apiKey !== undefined && key !== apiKey) throw new Refusal("invalid x-api-key", unknown);
  const version = headers["anthropic-version"];
  if (version === undefined) throw new Refusal("anthropic-version: header is required");
  if (version === "2023-06-01" || version === newVersion) return;
  throw new Refusal(`anthropic-version: "${version}" is not a valid version. Try "${newVersion}".`);
}

const newVersion = "2026-10-21";

function dialectOf(headers: WireHeaders): Dialect {
  const betas = (headers["anthropic-beta"] ?? "").split(",").map((beta) => beta.trim());
  return { isNew: headers["anthropic-version"] === newVersion, betas };
}

function traitsOf(model: string, { models }: AnthropicEmulatorOptions): ModelTraits {
  if (models?.includes(model) === true) return modelTraits(model) ?? newestTraits;
  const traits = models === undefined ? modelTraits(model) : undefined;
  if (traits !== undefined) return traits;
  throw new Refusal(`model: ${model}`, { status: 404, type: "not_found_error" });
}
