/** Checks the numeric options of an agent when it is created, not when a turn uses them. */
import type { NumberRule } from "../platform/option-numbers.ts";
import { problemOfNumbers } from "../platform/option-numbers.ts";
import { problemOfOptions } from "../input/stored-options.ts";
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

/** Throws an `AgentError` that names the option. */
export function checkOptions(init: AgentInit): void {
  refuse(problemOfNumbers(init, own));
  if (init.providerOptions !== undefined) refuse(problemOfOptions(init.providerOptions));
  for (const [name, rules] of Object.entries(nested)) {
    refuse(problemOfNumbers(init[name as keyof typeof nested], rules, `${name}.`));
  }
}

function refuse(problem: string | undefined): void {
  if (problem !== undefined) throw new AgentError("invalid_option", `The agent's ${problem}`);
}
