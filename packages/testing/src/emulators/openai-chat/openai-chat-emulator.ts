/** Local emulator of Chat Completions, of OpenAI and of compatible servers. */
import type { AcceptedRequest, Emulation, WireHeaders } from "../emulation.ts";
import { startEmulator } from "../emulator.ts";
import type { Emulator, EmulatorOptions } from "../emulator.ts";
import type { EmulatorScriptItem } from "../emulated-request.ts";
import { asText } from "../json.ts";
import type { JsonObject } from "../json.ts";
import { wrong } from "../openai-responses/errors.ts";
import { Sealer } from "../sealer.ts";
import { findShapeIssue } from "../shape.ts";
import { SharedPrefixCache } from "../shared-prefix-cache.ts";
import { estimateTokens } from "../token-estimate.ts";
import type { ChatRequest } from "./chat-request.ts";
import type { ChatDialect, ChatQuirks } from "./dialect.ts";
import { dialects } from "./dialects.ts";
import type { ChatDialectName } from "./dialects.ts";
import { openAiRetryAfter } from "../scripted-failure.ts";
import { requestShape } from "./request-shape.ts";
import { toRequestView } from "./request-view.ts";
import { ChatReply } from "./write-reply.ts";

/** Options of `openAiChatEmulator`. */
export interface OpenAiChatEmulatorOptions extends EmulatorOptions {
  /** The server to emulate. Default: OpenAI. */
  readonly dialect?: ChatDialectName;
  /** Overrides of the dialect's streaming habits. */
  readonly quirks?: Partial<ChatQuirks>;
}

/**
 * Starts an emulator of a Chat Completions server on a local port. The next item of the script answers each
 * request that the server would accept.
 */
export async function openAiChatEmulator(
  script: readonly EmulatorScriptItem[],
  options: OpenAiChatEmulatorOptions = {},
): Promise<Emulator> {
  return startEmulator(chatEmulation(dialects[options.dialect ?? "openai"], options), script);
}

function chatEmulation(dialect: ChatDialect, options: OpenAiChatEmulatorOptions): Emulation {
  const { maxBodyBytes = 64 * 1024 * 1024, minCacheTokens = 1024, trustsForeign = false } = options;
  const { basePath, fields, words } = dialect;
  const quirks = { ...dialect.quirks, ...options.quirks };
  const shape = requestShape(fields);
  const cache = new SharedPrefixCache(minCacheTokens);
  const sealer = new Sealer("Eq");
  let replies = 0;
  let calls = 0;

  function newCallId(): string {
    calls += 1;
    return dialect.newCallId(calls);
  }

  function accept(body: JsonObject): AcceptedRequest {
    checkShape(body);
    // The line above checked its shape.
    const request = body as unknown as ChatRequest;
    const { model, stream, stream_options: streamOptions } = request;
    if (!hasModel(model)) throw words.unknownModel(model);
    dialect.check(request, { body, sealer, trustsForeign });
    const usage = countInput(request, cache);
    const window = options.contextWindow ?? dialect.windowOf(model);
    if (words.tooLong !== undefined && usage.inputTokens > window) {
      throw words.tooLong(usage.inputTokens, window, model);
    }
    return {
      isStreaming: stream === true,
      usage,
      view: toRequestView(request),
      reply() {
        replies += 1;
        return new ChatReply({
          dialect,
          quirks,
          model,
          usage,
          wantsUsage: streamOptions?.include_usage === true,
          sealer,
          id: dialect.newReplyId(replies),
          newCallId,
          now: Date.now,
        });
      },
    };
  }

  /** Reports missing fields first, then unknown ones, then wrong types. */
  function checkShape(body: JsonObject): void {
    const missing = ["model", "messages"].find((key) => body[key] === undefined);
    if (missing !== undefined) {
      throw words.toShapeRefusal({ kind: "missing", path: [missing] }, body);
    }
    const known = [...Object.keys(fields.request), "messages"];
    const unknown = Object.keys(body).find((key) => !known.includes(key));
    if (unknown !== undefined && !fields.ignoresUnknown) {
      throw words.toShapeRefusal({ kind: "unknown", path: [unknown] }, body);
    }
    const issue = findShapeIssue(shape, body);
    if (issue !== undefined) throw words.toShapeRefusal(issue, body);
  }

  function hasModel(model: string): boolean {
    return options.models?.includes(model) ?? dialect.hasModel(model);
  }

  function authorize(headers: WireHeaders): void {
    const key = /^Bearer (.+)$/.exec(headers["authorization"] ?? "")?.[1];
    if (key === undefined) {
      if (words.noKey !== undefined) throw words.noKey();
      return;
    }
    if (options.apiKey !== undefined && key !== options.apiKey) throw words.wrongKey(key);
  }

  return {
    name: dialect.name,
    path: `${basePath}/chat/completions`,
    basePath,
    maxBodyBytes,
    authorize,
    accept,
    wrong,
    failures: {
      failures: words.failures,
      internal: { type: "server_error" },
      retryAfter: openAiRetryAfter,
    },
    errorBody: words.errorBody,
    responseHeaders: (requestId) => ({ "x-request-id": requestId }),
  };
}

/** The prompt starts with what changes least. */
function countInput(
  { model, messages, tools, prompt_cache_key: cacheKey }: ChatRequest,
  cache: SharedPrefixCache,
): { inputTokens: number; cacheReadTokens: number } {
  // They came as JSON.
  const prompt = [tools ?? [], ...messages] as unknown as readonly JsonObject[];
  const inputTokens = estimateTokens(prompt);
  const key = `${model} ${asText(cacheKey ?? "")}`;
  const known = cache.use(key, prompt.map((piece) => JSON.stringify(piece)).join("\n"));
  return { inputTokens, cacheReadTokens: Math.min(inputTokens, known) };
}
