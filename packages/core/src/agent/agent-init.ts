/** What an agent is made from. */
import type {
  AssistantMessage,
  ChatMessage,
  Deadlines,
  FinishedStep,
  FinishReason,
  Logger,
  RetryPolicy,
  SerializedError,
  ThinkingLevel,
  ToolChoice,
  ToolDispatchPolicy,
} from "@capstan/kernel";
import type { StandardSchema } from "../tools/standard-schema.ts";
import type { Override } from "../tools/dependency.ts";
import type { AnyTool } from "../tools/tool.ts";
import type { Budgets } from "./budgets.ts";
import type { ModelChoice, ResolveModel } from "./model.ts";

/** What instructions may be made from. */
export interface InstructionsContext {
  readonly agent: string;
  readonly sessionId: string;
  readonly tools: readonly AnyTool[];
}

export type Instructions =
  | string
  | ((context: InstructionsContext) => string | undefined | Promise<string | undefined>);

/** What may differ for one turn. */
export interface TurnOverrides {
  readonly model?: ModelChoice;
  readonly thinkingLevel?: ThinkingLevel;
  readonly toolChoice?: ToolChoice;
  readonly temperature?: number;
  readonly maxTokens?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface AgentInit<Output = unknown> extends TurnOverrides {
  /** Sessions name their agent by it, so it stays the same across deployments. Default "agent". */
  readonly name?: string;
  readonly model: ModelChoice;
  /** For models that are given by name. */
  readonly resolveModel?: ResolveModel;
  /** The system prompt. Default: one sentence that names the tools, if there are any. */
  readonly instructions?: Instructions;
  readonly tools?: readonly AnyTool[];
  readonly dependencies?: readonly Override[];
  /** The answer is JSON of this schema, checked; a wrong one is sent back once. */
  readonly output?: StandardSchema<unknown, Output>;
  readonly stopWhen?: (
    step: FinishedStep,
  ) => boolean | FinishReason | Promise<boolean | FinishReason>;
  readonly maxSteps?: number;
  /** What the model is asked when `maxSteps` is reached. `false`: nothing, the turn just ends. */
  readonly closing?: { readonly prompt: string } | false;
  readonly thinkingBudgets?: Readonly<Partial<Record<ThinkingLevel, number>>>;
  readonly dispatch?: ToolDispatchPolicy;
  readonly retry?: RetryPolicy;
  readonly deadlines?: Deadlines;
  readonly budgets?: Budgets;
  readonly includeCost?: boolean;
  readonly transformContext?: (
    messages: readonly ChatMessage[],
    signal: AbortSignal,
  ) => readonly ChatMessage[] | Promise<readonly ChatMessage[]>;
  readonly convertToLlm?: (
    messages: readonly ChatMessage[],
  ) => readonly ChatMessage[] | Promise<readonly ChatMessage[]>;
  readonly recover?: (
    error: SerializedError,
  ) => readonly ChatMessage[] | undefined | Promise<readonly ChatMessage[] | undefined>;
  readonly checkAnswer?: (
    message: AssistantMessage,
  ) => string | undefined | Promise<string | undefined>;
  /** Asked before each request, for keys that expire. */
  readonly getApiKey?: (providerId: string) => string | undefined | Promise<string | undefined>;
  readonly cwd?: string;
  readonly logger?: Logger;
}
