/** A server that speaks Chat Completions and that nobody here knows. */
import { openAiChat } from "../protocols/openai-chat/openai-chat.ts";
import type { ChatQuirks, Vendor } from "../wire/vendor.ts";

export interface CompatibleServer {
  /** Where it listens, `/chat/completions` left out. */
  readonly baseUrl: string;
  /** Stands in logs as the maker of replies, so it stays the same. Default "openai-compatible". */
  readonly id?: string;
  /** For people, in messages. Default: the id. */
  readonly name?: string;
  /** The variable that holds its key, if it needs one. */
  readonly keyVariable?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Where it departs from what OpenAI does. */
  readonly quirks?: ChatQuirks;
}

export function compatibleVendor({
  baseUrl,
  id = "openai-compatible",
  name = id,
  keyVariable,
  headers,
  quirks,
}: CompatibleServer): Vendor {
  return {
    id,
    name,
    protocol: openAiChat,
    baseUrl,
    hasServerApi: true,
    keyVariable,
    ...(headers && { headers }),
    quirks: quirks === undefined ? {} : { chat: quirks },
  };
}
