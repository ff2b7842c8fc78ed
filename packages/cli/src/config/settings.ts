/** What the command runs with: what is left after all layers. */
import type { TokenPrices } from "@capstan/core";
import type { ThinkingLevel } from "@capstan/kernel";
import type { Rule } from "../permissions/rule.ts";

type ProtocolName = "openai-chat" | "openai-responses" | "anthropic-messages" | "google-generate";

export interface ModelSettings {
  /** As the vendor knows it. */
  readonly id: string;
  /** Tokens that fit into one request and its reply. */
  readonly contextWindow: number;
  /** Tokens of one reply. */
  readonly maxOutput?: number;
  /** US dollars for a million tokens. */
  readonly price?: TokenPrices;
}

export interface ProviderSettings {
  readonly protocol?: ProtocolName;
  readonly baseUrl?: string;
  readonly keyVariable?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly models?: readonly ModelSettings[];
}

export interface Permissions {
  readonly allow: readonly Rule[];
  readonly ask: readonly Rule[];
  readonly deny: readonly Rule[];
}

export interface Settings {
  readonly model?: string;
  readonly thinking?: ThinkingLevel;
  /** US dollars a turn. */
  readonly maxCost?: number;
  readonly maxSteps: number;
  /** How long servers on this machine are looked for. */
  readonly lookMs: number;
  /** How often a turn with unfinished todos goes on by itself; 0 is off. */
  readonly planning: { readonly maxContinuations: number };
  readonly permissions: Permissions;
  /** Further folders that tools may use; absolute. */
  readonly roots: readonly string[];
  readonly tools: { readonly fetch: boolean; readonly bash: { readonly timeoutMs?: number } };
  /** By vendor id: a change of a known vendor, or a new one, which has a protocol and a base URL then. */
  readonly providers: Readonly<Record<string, ProviderSettings>>;
  /** Path of the SQLite file. */
  readonly store: string;
}
