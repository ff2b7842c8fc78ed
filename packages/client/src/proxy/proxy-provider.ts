/** Provider whose models are a server's: it has the keys, and this process or page has none. */
import type { MediaLimits, ProviderContract, ProviderRequest } from "@capstan/kernel";
import { ProviderError } from "@capstan/kernel";
import type { ModelOptions, ModelRequest, ModelsReply, ServerSideOption } from "@capstan/log";
import { newId } from "@capstan/log";
import type { ConnectionOptions } from "../stream/connection.ts";
import { Connection, jsonOf } from "../stream/connection.ts";
import { ReplyReading } from "./reply-reading.ts";

/** Options of `proxyProvider`: the server, and which of its models to use. */
export interface ProxyProviderOptions extends ConnectionOptions {
  /** Id of the provider. Default `proxy`. */
  readonly id?: string;
  /** Name of the model on the server, for requests that name none. */
  readonly model?: string;
  /** Tokens that fit into one request and its reply. Default: unknown, and asked of the server if it is needed. */
  readonly contextWindow?: number;
  readonly media?: MediaLimits;
}

/** Attempts to reach the server before a request fails: the turn has a policy of its own for what comes after. */
const maxAttempts = 6;

/**
 * Creates a provider for agents and turns that run here. A connection that is lost is resumed where it was, without a gap. An abort, and
 * leaving the stream, abort the request on the server. Failures are `ProviderError`s, as the server's provider has thrown them.
 */
export function proxyProvider(options: ProxyProviderOptions): ProviderContract {
  const { id = "proxy", model, contextWindow, media, retry } = options;
  const connection = new Connection({ ...options, retry: { maxAttempts, ...retry } });
  return {
    id,
    ...(contextWindow !== undefined && { contextWindow }),
    ...(media !== undefined && { media }),
    async findContextWindow(name, { signal }) {
      try {
        const response = await connection.request("GET", "/api/models", { signal });
        const { models } = await jsonOf<ModelsReply>(response);
        return models.find((offered) => offered.name === (name || model))?.contextWindow;
      } catch {
        // The window stays unknown, and the next request reports what is wrong.
        return undefined;
      }
    },
    stream: (request) => new ReplyReading(connection, toBody(id, model, request), request.signal),
  };
}

/** Options that have no meaning here unless they are set: the server has its own. */
const refused: readonly ServerSideOption[] = ["apiKey", "headers", "serviceTier"];

/** Throws a `ProviderError` for options that only the server can set. */
function toBody(id: string, model: string | undefined, request: ProviderRequest): ModelRequest {
  const { messages, tools, toolChoice, options, conversationId, turnId, step, attempt } = request;
  const { model: named = "", modelFacts: _, providerOptions, ...chosen } = options;
  const name = named || model;
  if (name === undefined) {
    const message = `The provider "${id}" needs the name of a model: set its option "model", or that of the agent`;
    throw new ProviderError("invalid_request", message);
  }
  const isSet = (option: ServerSideOption): boolean => options[option] !== undefined;
  const wrong = providerOptions?.[id] === undefined ? refused.find(isSet) : "providerOptions";
  if (wrong !== undefined) {
    const message = `The provider "${id}" cannot send "${wrong}": only its server can set that`;
    throw new ProviderError("invalid_request", message);
  }
  return {
    id: newId(),
    model: name,
    messages,
    tools: tools.map(({ name: tool, description, inputSchema }) => ({
      name: tool,
      description,
      inputSchema,
    })),
    ...(toolChoice !== undefined && { toolChoice }),
    options: chosen satisfies ModelOptions,
    conversationId,
    turnId,
    step,
    attempt,
  };
}
