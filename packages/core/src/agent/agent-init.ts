/** Options of an agent. */
import type {
  BeforeDecision,
  DispatchedCall,
  GetApiKey,
  Logger,
  LoopContext,
  LoopLimits,
  ProviderOptionsByVendor,
  RetryPolicy,
  SamplingSettings,
  StandardSchema,
  ThinkingLevel,
  ToolChoice,
  ToolDispatchPolicy,
  ToolResult,
  TurnLimits,
} from "@capstan/kernel";
import type { CompactionOptions } from "../compaction/compaction-options.ts";
import type { OutputLimits } from "../outputs/output-limits.ts";
import type { Override } from "../tools/dependency.ts";
import type { AppSchema } from "../tools/app-schema.ts";
import type { AnyTool } from "../tools/tool.ts";
import type { ToolSource } from "../tools/tool-source.ts";
import type { TurnContext } from "../tools/turn-context.ts";
import type { ModelRegistry } from "../models/registry.ts";
import type { Budgets } from "./budgets.ts";
import type { Guards } from "./guards.ts";
import type { PrepareStep } from "./prepare-step.ts";
import type { Model, ModelChoice, ResolveModel } from "../models/model.ts";

/** Context that instructions are made from: that of the session's first turn. */
export interface InstructionsContext<App = unknown> extends TurnContext<App> {
  readonly agent: string;
  readonly sessionId: string;
  readonly tools: readonly AnyTool[];
}

/**
 * A function is called once per session, for its first request: a prompt that changes with each turn would invalidate the provider's cache
 * every time.
 */
export type Instructions<App = unknown> =
  | string
  | ((context: InstructionsContext<App>) => string | undefined | Promise<string | undefined>);

/** Options that may differ for one turn. */
export interface TurnOverrides<ToolName extends string = string> extends SamplingSettings {
  readonly model?: ModelChoice;
  readonly thinkingLevel?: ThinkingLevel;
  readonly toolChoice?: ToolChoice<ToolName>;
  /**
   * Fields of a vendor's own request, by provider id: `{ openai: { text: { verbosity: "low" } } }`. They are sent unchanged. Those of a
   * turn take precedence over those of its session, of the agent and of the model, field by field; `null` removes a field; `tools` are
   * added to the agent's.
   */
  readonly providerOptions?: ProviderOptionsByVendor;
}

/** Hooks that run before and after tool calls, and learn who is asking. */
export interface ToolHooks<App = unknown> {
  /** Asked for each call, in call order, before it starts. A throwing hook blocks the call. */
  before?(
    call: DispatchedCall,
    context: TurnContext<App>,
  ): BeforeDecision | void | Promise<BeforeDecision | void>;
  /** May replace a result before it is recorded or shown. A throwing hook withholds the result. */
  after?(
    call: DispatchedCall,
    result: ToolResult,
    context: TurnContext<App>,
  ): ToolResult | void | Promise<ToolResult | void>;
}

/** Limits of the turn loop that an agent passes on unchanged: all but its own. */
export type AgentLimits = Omit<
  LoopLimits,
  keyof TurnLimits | "closing" | "checkLimits" | "checkAnswer" | "retry"
>;

/** Context options of the turn loop that an agent passes on unchanged. */
export type AgentContext = Omit<
  LoopContext,
  "prepareStep" | "project" | "makeRoom" | "checkMedia" | "boundResult"
>;

/** `App` is the application context that hooks and instructions get, `SentApp` the one that callers give. */
export interface AgentInit<
  Output = unknown,
  App = unknown,
  SentApp = unknown,
  SentOutput = unknown,
  Name extends string = string,
  Tools extends readonly AnyTool[] = readonly AnyTool[],
>
  extends TurnOverrides<Tools[number]["name"]>, AgentLimits, AgentContext {
  readonly limits?: TurnLimits | undefined;
  /** Retry of failed attempts. Default: three attempts. */
  readonly retry?: Partial<RetryPolicy> | undefined;
  /** Passed to the tools unchanged; never part of the prompt. */
  readonly cwd?: string | undefined;
  readonly logger?: Logger | undefined;
  /** Sessions refer to their agent by this name, so it must stay the same across deployments. Default "agent". */
  readonly name?: Name;
  readonly model: ModelChoice;
  /** Other models that sessions may switch to: the log stores only their names, and another process has to find them again. */
  readonly models?: readonly Model[];
  /** Resolves models that are given by name. */
  readonly resolveModel?: ResolveModel;
  /** Limits and prices of models that do not state them. Default: the snapshot of this version. */
  readonly registry?: ModelRegistry;
  /** The system prompt. Default: one sentence about using the tools, if there are any. */
  readonly instructions?: Instructions<App>;
  readonly tools?: Tools;
  /**
   * Sources of tools that are only known at run time. Each is asked once per turn, and the turn keeps what it got. They come after the
   * agent's own tools, which take precedence over one with the same name.
   */
  readonly toolSources?: readonly ToolSource[];
  /**
   * Schema of the application context: values of your own about who is asking, such as a tenant. Sessions are created with it (`app`), a
   * send may override it, and tools and hooks get it validated. Any Standard Schema with a synchronous `validate`.
   */
  readonly appContext?: AppSchema<SentApp, App>;
  readonly dependencies?: readonly Override[];
  /** Schema of the answer, which must be JSON; an invalid answer is sent back once. */
  readonly output?: StandardSchema<SentOutput, Output>;
  /** Prompt for the final step when `maxSteps` is reached. `false`: the turn ends without it. */
  readonly closing?: { readonly prompt: string } | false;
  readonly thinkingBudgets?: Readonly<Partial<Record<ThinkingLevel, number>>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly dispatch?: Omit<ToolDispatchPolicy, keyof ToolHooks>;
  readonly hooks?: ToolHooks<App>;
  /**
   * Called before each step, and may change its model, tools, tool choice and sampling, or append messages. The log records the result, so
   * that a resumed turn does the same. To change what the model sees of the history, use `transformContext`.
   */
  readonly prepareStep?: PrepareStep<App, Tools[number]["name"]>;
  readonly guards?: Guards<App>;
  readonly budgets?: Budgets;
  /** How much of the tools' outputs the model sees in a session: long outputs are shortened, and older ones evicted. */
  readonly outputs?: OutputLimits;
  /**
   * When and how older messages of a session are replaced by a summary in its context. Default: automatically, at 0.8 of the context
   * window, or of 32,000 tokens if that is unknown. `false`: never.
   */
  readonly compaction?: CompactionOptions | false;
  readonly includeCost?: boolean;
  /** Called before each request, for keys that expire. */
  readonly getApiKey?: GetApiKey;
}
