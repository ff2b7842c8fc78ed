/** A vendor is a row: who it is, where it listens, which protocol it speaks, and how it departs from it. */
import type { MediaLimits, ProviderOptionsByVendor, SamplingSettings } from "@capstan/kernel";
import type { CallIdShape } from "../projection/call-ids.ts";
import type { Protocol } from "./protocol.ts";

/** Where a vendor departs from its protocol. Each is named for what it does, and absent where the vendor keeps to it. */
export interface Quirks {
  /** Header that carries the key; default `authorization`, with `Bearer`. */
  readonly keyHeader?: string;
  /** A header, in small letters, that lists things: the caller's are added to the protocol's. */
  readonly listHeader?: string;
  readonly chat?: ChatQuirks;
}

/** Of Chat Completions, which many servers speak, each a little differently. */
export interface ChatQuirks {
  /** The field in which reasoning goes back; without it none does. */
  readonly reasoningField?: "reasoning_content" | "reasoning" | "reasoning_details";
  /** Refuses a reply with calls and without that field, though it be empty. */
  readonly needsReasoningField?: true;
  /** How an effort is asked for; without it only models that are known to have one are asked, by `reasoning_effort`. */
  readonly thinking?: "effort" | "reasoning-object" | "thinking-switch";
  /** Default `max_tokens`. */
  readonly maxTokensField?: "max_tokens" | "max_completion_tokens";
  /** Other names of sampling settings; `null` for one that is refused. Default: OpenAI's names, and `top_k`. */
  readonly samplingFields?: Readonly<Partial<Record<SamplingField, string | null>>>;
  /** Default: as OpenAI has them. */
  readonly callIds?: CallIdShape;
  /** Reports its counts without being asked, and refuses to be asked. */
  readonly refusesStreamOptions?: true;
  /** Does not count reasoning among the output tokens. */
  readonly countsReasoningApart?: true;
  /** Takes instructions at the beginning only: later ones are said by the user. */
  readonly refusesLateSystem?: true;
  /** Refuses what a user says right behind the results of calls: a word of the assistant stands between. */
  readonly refusesUserAfterTool?: true;
  /** Takes no schema of the answer: JSON is asked for, and the schema is told in the system prompt. */
  readonly outputFormat?: "json-object";
  /** Takes PDF files. */
  readonly takesFiles?: true;
  /** Fetches no image by its URL. */
  readonly refusesUrls?: true;
  /** Takes a key by which requests of a session come to the same cache. */
  readonly takesCacheKey?: true;
}

type SamplingField = Exclude<keyof SamplingSettings, "temperature" | "maxTokens">;

export interface Vendor {
  readonly id: string;
  /** For people, in messages. */
  readonly name: string;
  readonly protocol: Protocol;
  readonly baseUrl: string;
  /** The variable that holds another URL, which goes before `baseUrl`. */
  readonly baseUrlVariable?: string;
  /** May have the API of a server that runs models, beside the one of its protocol: it is asked for context windows there, too. */
  readonly hasServerApi?: true;
  /** Runs on the user's machine as a rule. There it is asked directly, whatever proxy is set. */
  readonly isLocal?: true;
  /** The variable that holds its key; undefined for a server that needs none. */
  readonly keyVariable: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly media?: MediaLimits;
  readonly quirks: Quirks;
}

/** Media that were fetched from a URL. */
export interface FetchedMedia {
  readonly data: Uint8Array;
  /** Default: the one that the message states. */
  readonly mediaType?: string;
}

/**
 * Fetches an image or a document of a message. Which hosts may be asked is its own decision, and so is a cache: it is called for every request. What has more than
 * `maxBytes`, fails, or takes longer than 30 seconds is told to the model in words.
 */
export type FetchMedia = (
  url: string,
  options: { readonly signal: AbortSignal; readonly maxBytes: number },
) => Promise<FetchedMedia>;

export interface ProviderOptions {
  /** Default: what `getApiKey` of the agent gives, or the vendor's variable. */
  readonly apiKey?: string;
  /** Default: the vendor's variable, or the vendor's own URL. One without a path gets the path of the vendor's own. */
  readonly baseUrl?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default `globalThis.fetch`, or, if the variables of the process name a proxy for the URL, one through that proxy. */
  readonly fetch?: typeof fetch;
  /** By the id of the vendor, as those of an agent, which go before them field by field. */
  readonly providerOptions?: ProviderOptionsByVendor;
  /** Fetches media that messages give by URL, whose bytes are sent then. Default: nothing is fetched here, and the vendor gets the URL if it fetches itself. */
  readonly fetchMedia?: FetchMedia;
  /** Whether replies are streamed; default true. */
  readonly stream?: boolean;
}
