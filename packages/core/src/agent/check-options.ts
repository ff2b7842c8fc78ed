/** Checks the options of an agent when it is created, not when a turn uses them. JavaScript has no other check. */
import type { ThinkingLevel } from "@capstan/kernel";
import type { NumberRule } from "../platform/option-numbers.ts";
import { problemOfNames } from "../platform/option-names.ts";
import { problemOfNumbers } from "../platform/option-numbers.ts";
import { problemOfOptions } from "../input/stored-options.ts";
import { isAppSchema } from "../tools/app-schema.ts";
import { AgentError } from "../errors/agent-error.ts";
import type { AgentInit } from "./agent-init.ts";

type Rules = Readonly<Record<string, NumberRule>>;

const own: Rules = {
  maxSteps: "a whole number",
  maxTokens: "a whole number above 0",
  topP: "0 or more",
  topK: "a whole number",
};

const nested = {
  retry: {
    maxAttempts: "a whole number above 0",
    baseDelayMs: "0 or more",
    maxDelayMs: "0 or more",
    maxRetryAfterMs: "0 or more",
    maxTotalMs: "0 or more",
  },
  deadlines: {
    firstPartMs: "above 0",
    betweenPartsMs: "above 0",
    contentMs: "above 0",
    attemptMs: "above 0",
    turnMs: "above 0",
    toolMs: "above 0",
    callbackMs: "above 0",
  },
  limits: {
    replyChars: "above 0",
    replyCalls: "a whole number above 0",
    pauses: "a whole number",
    liveOutputChars: "a whole number",
  },
  budgets: { steps: "0 or more", tokens: "0 or more", cost: "0 or more", timeMs: "0 or more" },
  dispatch: { maxParallel: "a whole number above 0", graceMs: "0 or more" },
  outputs: { maxChars: "0 or more", maxTotalChars: "0 or more" },
} as const satisfies Partial<Record<keyof AgentInit, Rules>>;

/** Every option. A new one that is missing here does not compile. */
const names: Readonly<Record<keyof AgentInit, true>> = {
  name: true,
  model: true,
  models: true,
  resolveModel: true,
  registry: true,
  instructions: true,
  tools: true,
  toolSources: true,
  appContext: true,
  dependencies: true,
  output: true,
  closing: true,
  thinkingLevel: true,
  thinkingBudgets: true,
  toolChoice: true,
  temperature: true,
  maxTokens: true,
  topP: true,
  topK: true,
  stop: true,
  seed: true,
  frequencyPenalty: true,
  presencePenalty: true,
  serviceTier: true,
  providerOptions: true,
  headers: true,
  dispatch: true,
  hooks: true,
  prepareStep: true,
  guards: true,
  budgets: true,
  limits: true,
  maxSteps: true,
  stopWhen: true,
  retry: true,
  deadlines: true,
  transformContext: true,
  convertToLlm: true,
  onOverflow: true,
  outputs: true,
  compaction: true,
  includeCost: true,
  getApiKey: true,
  cwd: true,
  logger: true,
};

const levels: readonly ThinkingLevel[] = [
  "off",
  "minimal",
  "low",
  "medium",
  "high",
  "xhigh",
  "max",
];

/** Throws an `AgentError` that names the option. */
export function checkOptions(init: AgentInit): void {
  checkModel(init);
  const unknown = problemOfNames(init, names);
  if (unknown !== undefined) throw wrong(`The agent has an ${unknown}`);
  const { thinkingLevel, tools, toolSources } = init;
  if (thinkingLevel !== undefined && !levels.includes(thinkingLevel)) {
    throw wrong(
      `The agent's thinkingLevel "${thinkingLevel}" is unknown. Levels: ${levels.join(", ")}`,
    );
  }
  if (tools !== undefined) checkTools(tools);
  if (toolSources !== undefined) checkSources(toolSources);
  refuse(problemOfNumbers(init, own));
  refuse(problemOfAppContext(init));
  if (init.providerOptions !== undefined) refuse(problemOfOptions(init.providerOptions));
  for (const [name, rules] of Object.entries(nested)) {
    refuse(problemOfNumbers(init[name as keyof typeof nested], rules, `${name}.`));
  }
}

function problemOfAppContext({ appContext, tools = [] }: AgentInit): string | undefined {
  if (appContext !== undefined) {
    if (isAppSchema(appContext)) return undefined;
    return "appContext must be a Standard Schema, such as one of zod";
  }
  const needy = tools.find((tool) => tool.appContext !== undefined);
  return needy && `tool "${needy.name}" needs an appContext: pass one to createAgent as well`;
}

/** Callers in JavaScript may pass anything. */
function checkModel(init: Partial<AgentInit> | undefined): void {
  const model: unknown = init?.model;
  if (model === undefined || model === null) {
    throw wrong('The agent needs a model: createAgent({ model: anthropic("claude-opus-5") })');
  }
  if (typeof model === "string") return;
  if (typeof model !== "object" && typeof model !== "function") {
    throw wrong(`The agent's model must be a model, a provider or a name, not a ${typeof model}`);
  }
  if ("specificationVersion" in model) {
    throw wrong(
      "The agent's model is one of the AI SDK: pass fromAiSdk(model) of @capstan/providers/ai-sdk",
    );
  }
  if ("stream" in model || ("provider" in model && "id" in model)) return;
  throw wrong("The agent's model must have a provider and an id, or be a provider with a stream");
}

function checkTools(tools: readonly unknown[]): void {
  if (!Array.isArray(tools)) throw wrong("The agent's tools must be a list");
  const known = new Set<string>();
  for (const [index, tool] of tools.entries()) {
    const { name, inputSchema } = (tool ?? {}) as { readonly [field: string]: unknown };
    if (typeof name !== "string" || typeof inputSchema !== "object") {
      const found = tool === null || tool === undefined ? String(tool) : "no tool";
      throw wrong(`The agent's tools[${index}] is ${found}: make tools with defineTool`);
    }
    if (known.has(name)) throw wrong(`The agent has two tools with the name "${name}": rename one`);
    known.add(name);
  }
}

function checkSources(sources: readonly unknown[]): void {
  if (!Array.isArray(sources)) throw wrong("The agent's toolSources must be a list");
  for (const [index, source] of sources.entries()) {
    const { name, tools } = (source ?? {}) as { readonly [field: string]: unknown };
    if (typeof name !== "string" || typeof tools !== "function") {
      throw wrong(`The agent's toolSources[${index}] needs a name and a function "tools"`);
    }
  }
}

function refuse(problem: string | undefined): void {
  if (problem !== undefined) throw wrong(`The agent's ${problem}`);
}

function wrong(message: string): AgentError {
  return new AgentError("invalid_option", message);
}
