/** What an agent is made from. */
import type {
  GetApiKey,
  Logger,
  LoopContext,
  LoopLimits,
  ProviderOptionsByVendor,
  SamplingSettings,
  StandardSchema,
  ThinkingLevel,
  ToolChoice,
  ToolDispatchPolicy,
  TurnLimits,
} from "@capstan/kernel";
import type { CompactionOptions } from "../compaction/compaction-options.ts";
import type { OutputLimits } from "../outputs/output-limits.ts";
import type { Override } from "../tools/dependency.ts";
import type { AnyTool } from "../tools/tool.ts";
import type { ModelRegistry } from "../models/registry.ts";
import type { Budgets } from "./budgets.ts";
import type { Model, ModelChoice, ResolveModel } from "../models/model.ts";

/** What instructions may be made from. */
export interface InstructionsContext {
  readonly agent: string;
  readonly sessionId: string;
  readonly tools: readonly AnyTool[];
}

/**
 * A function is asked once for a session, when its first request is made: a prompt that differs with each turn would cost the provider's
 * cache every time.
 */
export type Instructions =
  | string
  | ((context: InstructionsContext) => string | undefined | Promise<string | undefined>);

/** What may differ for one turn. */
export interface TurnOverrides extends SamplingSettings {
  readonly model?: ModelChoice;
  readonly thinkingLevel?: ThinkingLevel;
  readonly toolChoice?: ToolChoice;
  /**
   * Fields of a vendor's own request, by the id of its provider: `{ openai: { text: { verbosity: "low" } } }`. They go out as they are. Those of a
   * turn go before those of its session, of the agent and of the model, field by field; `null` removes a field; `tools` are added to ours.
   */
  readonly providerOptions?: ProviderOptionsByVendor;
}

/** Who may look at tool calls before and after they run. */
export type ToolHooks = Pick<ToolDispatchPolicy, "before" | "after">;

/** Limits of the turn loop that an agent takes as they are: all but its own. */
export type AgentLimits = Omit<
  LoopLimits,
  keyof TurnLimits | "closing" | "checkLimits" | "checkAnswer"
>;

/** The same for what a model is shown. */
export type AgentContext = Omit<LoopContext, "project" | "makeRoom" | "checkMedia" | "boundResult">;

export interface AgentInit<Output = unknown> extends TurnOverrides, AgentLimits, AgentContext {
  readonly limits?: TurnLimits | undefined;
  /** Forwarded to the tools as it is; never part of the prompt. */
  readonly cwd?: string | undefined;
  readonly logger?: Logger | undefined;
  /** Sessions name their agent by it, so it stays the same across deployments. Default "agent". */
  readonly name?: string;
  readonly model: ModelChoice;
  /** Others that sessions may switch to: a log holds their names only, and another process has to find them again. */
  readonly models?: readonly Model[];
  /** For models that are given by name. */
  readonly resolveModel?: ResolveModel;
  /** Knows limits and prices of models that do not bring them along. Default: the snapshot of this version. */
  readonly registry?: ModelRegistry;
  /** The system prompt. Default: one sentence about using the tools, if there are any. */
  readonly instructions?: Instructions;
  readonly tools?: readonly AnyTool[];
  readonly dependencies?: readonly Override[];
  /** The answer is JSON of this schema, checked; a wrong one is sent back once. */
  readonly output?: StandardSchema<unknown, Output>;
  /** What the model is asked when `maxSteps` is reached. `false`: nothing, the turn just ends. */
  readonly closing?: { readonly prompt: string } | false;
  readonly thinkingBudgets?: Readonly<Partial<Record<ThinkingLevel, number>>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly dispatch?: Omit<ToolDispatchPolicy, keyof ToolHooks>;
  readonly hooks?: ToolHooks;
  readonly budgets?: Budgets;
  /** How much of what tools give a session shows to its model: long outputs are shortened, and older ones make room. */
  readonly outputs?: OutputLimits;
  /**
   * When and how what was said is replaced by a summary in the context of a session. Default: by itself, at 0.8 of the context window, or of
   * 32,000 tokens if that is unknown. `false`: never.
   */
  readonly compaction?: CompactionOptions | false;
  readonly includeCost?: boolean;
  /** Asked before each request, for keys that expire. */
  readonly getApiKey?: GetApiKey;
}
