/** Options of a provider request, besides the messages. */
import type { ProviderStreamOptions } from "@capstan/kernel";
import { mergeProviderOptions } from "@capstan/kernel";
import type { SessionConfig } from "@capstan/log";
import type { AgentInit, TurnOverrides } from "./agent-init.ts";
import type { Model } from "../models/model.ts";
import { samplingOf } from "../models/sampling.ts";
import { outputFormatOf } from "./typed-output.ts";

export interface OptionChoices {
  readonly overrides?: TurnOverrides | undefined;
  readonly config?: SessionConfig | undefined;
  readonly model: Model;
  readonly instructions: string | undefined;
  readonly sessionId: string;
}

export function providerOptions(
  init: AgentInit,
  { overrides = {}, config = {}, model, instructions, sessionId }: OptionChoices,
): ProviderStreamOptions {
  const { thinkingBudgets, headers } = init;
  const output = init.output && outputFormatOf(init.output);
  const toolChoice = overrides.toolChoice ?? init.toolChoice;
  const thinkingLevel = overrides.thinkingLevel ?? config.thinkingLevel ?? init.thinkingLevel;
  const vendorOptions = mergeProviderOptions(
    init.providerOptions,
    config.providerOptions,
    overrides.providerOptions,
  );
  return {
    sessionId,
    ...(model.id !== "" && { model: model.id }),
    ...(model.facts !== undefined && { modelFacts: model.facts }),
    ...(output !== undefined && { output }),
    ...(instructions !== undefined && { systemPrompt: instructions }),
    ...samplingOf(init, config, overrides),
    ...(toolChoice !== undefined && { toolChoice }),
    ...(thinkingLevel !== undefined && { thinkingLevel }),
    ...(thinkingBudgets !== undefined && { thinkingBudgets }),
    ...(headers !== undefined && { headers }),
    ...(vendorOptions !== undefined && { providerOptions: vendorOptions }),
  };
}
