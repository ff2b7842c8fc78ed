/** Settings the command runs with, after all layers are merged. */
import type { TokenPrices } from "@capstan/core";
import type { Deadlines, RetryPolicy, ThinkingLevel } from "@capstan/kernel";
import type { SandboxMode, SandboxNetwork } from "@capstan/toolset";
import type { McpServers } from "./mcp-servers.ts";
import type { Rule } from "../permissions/rule.ts";

type ProtocolName = "openai-chat" | "openai-responses" | "anthropic-messages" | "google-generate";

export interface ModelSettings {
  /** The vendor's name for the model. */
  readonly id: string;
  /** Maximum tokens of one request and its reply. */
  readonly contextWindow: number;
  /** Maximum tokens of one reply. */
  readonly maxOutput?: number;
  /** US dollars per million tokens. */
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

export interface BashSettings {
  readonly timeoutMs?: number;
  readonly sandbox?: "off" | SandboxMode;
  /** Files and folders that commands in the sandbox may write to as well; absolute paths. */
  readonly writable?: readonly string[];
  /** Default: open in `write`, none in `strict`. */
  readonly network?: SandboxNetwork;
  /** Names of variables that commands get although they look like secrets. */
  readonly passEnv?: readonly string[];
}

export interface McpSettings {
  /** By name. */
  readonly servers: McpServers;
  /** Whether models search the servers' tools instead of getting all declarations. Default: by their size. */
  readonly toolSearch?: "auto" | "always" | "never";
  /** Share of the context window from which on they do. */
  readonly toolSearchShare?: number;
}

type DeadlineSettings = Omit<Deadlines, "callbackMs">;

export interface Settings {
  readonly model?: string;
  readonly thinking?: ThinkingLevel;
  /** US dollars per turn. */
  readonly maxCost?: number;
  readonly maxSteps: number;
  /** Retry of failed requests to the model. */
  readonly retry: RetryPolicy;
  /** Time limits that differ from the defaults of an agent. */
  readonly deadlines: DeadlineSettings;
  /** Time limit for finding servers on this machine. */
  readonly lookMs: number;
  /** How often a turn with unfinished todos continues automatically; 0 disables it. */
  readonly planning: { readonly maxContinuations: number };
  readonly permissions: Permissions;
  /** Additional folders that tools may use; absolute paths. */
  readonly roots: readonly string[];
  readonly tools: { readonly fetch: boolean; readonly bash: BashSettings };
  /** By vendor id: changes to a known vendor, or a custom one, which needs a protocol and a base URL. */
  readonly providers: Readonly<Record<string, ProviderSettings>>;
  readonly mcp: McpSettings;
  /** Path of the SQLite file. */
  readonly store: string;
}
