/** Any other server that implements Chat Completions. */
import { openAiChat } from "../protocols/openai-chat/openai-chat.ts";
import type { ChatQuirks, Vendor } from "../wire/vendor.ts";

/** A server that implements Chat Completions: its address, its key and its quirks. */
export interface CompatibleServer {
  /** Its URL, without `/chat/completions`. */
  readonly baseUrl: string;
  /** Stored in logs as the origin of replies, so keep it stable. Default "openai-compatible". */
  readonly id?: string | undefined;
  /** Display name, for messages. Default: the id. */
  readonly name?: string | undefined;
  /** Environment variable with its key, if it needs one. */
  readonly keyVariable?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Deviations from OpenAI's behaviour. */
  readonly quirks?: ChatQuirks | undefined;
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
