/** A vendor is a row: its identity, its URL, its protocol, and its deviations from the protocol. */
import type { MediaLimits, ProviderOptionsByVendor, SamplingSettings } from "@capstan/kernel";
import type { CallIdShape } from "../projection/call-ids.ts";
import type { Protocol } from "./protocol.ts";

/** A vendor's deviations from its protocol. Each is named for its effect, and absent if the vendor follows the protocol. */
export interface Quirks {
  /** Header that carries the key; default `authorization`, with `Bearer`. */
  readonly keyHeader?: string;
  /** Lower-case name of a list header: the caller's values are added to the protocol's. */
  readonly listHeader?: string;
  readonly chat?: ChatQuirks;
}

/** Deviations from Chat Completions, which many servers implement, each a little differently. */
export interface ChatQuirks {
  /** Field that carries reasoning back; without it none is sent. */
  readonly reasoningField?: "reasoning_content" | "reasoning" | "reasoning_details";
  /** Rejects a reply that has calls but lacks that field, even if it would be empty. */
  readonly needsReasoningField?: true;
  /** How to request an effort; by default only from models known to have one, as `reasoning_effort`. */
  readonly thinking?: "effort" | "reasoning-object" | "thinking-switch";
  /** Default `max_tokens`. */
  readonly maxTokensField?: "max_tokens" | "max_completion_tokens";
  /** Other names of sampling settings; `null` for a rejected one. Default: OpenAI's names, and `top_k`. */
  readonly samplingFields?: Readonly<Partial<Record<SamplingField, string | null>>>;
  /** Default: OpenAI's format. */
  readonly callIds?: CallIdShape;
  /** Reports usage without being asked, and rejects `stream_options`. */
  readonly refusesStreamOptions?: true;
  /** Does not include reasoning in the output tokens. */
  readonly countsReasoningApart?: true;
  /** Accepts system messages only at the beginning: later ones are sent as the user's. */
  readonly refusesLateSystem?: true;
  /** Rejects a user message right after tool results: an assistant message is inserted between them. */
  readonly refusesUserAfterTool?: true;
  /** Accepts no schema for the answer: JSON is requested, and the system prompt contains the schema. */
  readonly outputFormat?: "json-object";
  /** Accepts PDF files. */
  readonly takesFiles?: true;
  /** Does not fetch images by URL. */
  readonly refusesUrls?: true;
  /** Accepts a key that routes requests of a session to the same cache. */
  readonly takesCacheKey?: true;
}

type SamplingField = Exclude<keyof SamplingSettings, "temperature" | "maxTokens">;

/** A vendor: its address, protocol, key variable and quirks. */
export interface Vendor {
  readonly id: string;
  /** Display name, for messages. */
  readonly name: string;
  readonly protocol: Protocol;
  readonly baseUrl: string;
  /** Environment variable with another URL, which takes precedence over `baseUrl`. */
  readonly baseUrlVariable?: string;
  /** Whether it may offer the API of a model server besides its protocol; if so, that is asked for context windows too. */
  readonly hasServerApi?: true;
  /** Usually runs on the user's machine. There it is asked directly, whatever proxy is set. */
  readonly isLocal?: true;
  /** Environment variable with its key; undefined for a server that needs none. */
  readonly keyVariable: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly media?: MediaLimits;
  readonly quirks: Quirks;
}

/** Media fetched from a URL. */
export interface FetchedMedia {
  readonly data: Uint8Array;
  /** Default: the type the message states. */
  readonly mediaType?: string;
}

/**
 * Fetches an image or a document for a message. It decides which hosts to allow, and whether to cache: it is called for every request. If the
 * media exceed `maxBytes`, fail, or take longer than 30 seconds, the model gets a note instead.
 */
export type FetchMedia = (
  url: string,
  options: { readonly signal: AbortSignal; readonly maxBytes: number },
) => Promise<FetchedMedia>;

/** An option that is undefined was not given, so that variables of the environment can be passed as they are. */
export interface ProviderOptions {
  /** Default: the result of the agent's `getApiKey`, or the vendor's environment variable. */
  readonly apiKey?: string | undefined;
  /** Default: the vendor's environment variable, or the vendor's own URL. A URL without a path gets the path of the vendor's own. */
  readonly baseUrl?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Default: `globalThis.fetch`, or a proxied fetch if the environment names a proxy for the URL. */
  readonly fetch?: typeof fetch | undefined;
  /** Options by vendor id. The agent's options take precedence, field by field. */
  readonly providerOptions?: ProviderOptionsByVendor | undefined;
  /** Fetches media that messages give by URL, to send their bytes. Default: nothing is fetched; a vendor that fetches URLs itself gets the URL. */
  readonly fetchMedia?: FetchMedia | undefined;
  /** Whether to stream replies. Default true. */
  readonly stream?: boolean | undefined;
}
