/** What a provider is told besides the messages. */
import type { ProviderContract, ProviderStreamOptions } from "@capstan/kernel";
import { TurnError, isPromise, mergeProviderOptions } from "@capstan/kernel";
import type { SessionConfig } from "@capstan/log";
import type { AgentInit, TurnOverrides } from "./agent-init.ts";
import type { Model } from "./model.ts";
import { samplingOf } from "./sampling.ts";
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

/** A provider that asks for its key before each request. */
export function withKey(
  provider: ProviderContract,
  getApiKey: AgentInit["getApiKey"],
  limited: <T>(work: Promise<T>) => Promise<T>,
): ProviderContract {
  if (getApiKey === undefined) return provider;
  return {
    ...provider,
    async *stream(request) {
      const { fallback } = provider;
      const asked = fallback?.models[request.modelIndex ?? 0]?.provider ?? provider;
      const key = getApiKey(asked.id);
      const apiKey = isPromise(key) ? await limited(key) : key;
      if (apiKey !== undefined && typeof apiKey !== "string") throw wrongKey(apiKey);
      const { options } = request;
      yield* provider.stream(
        apiKey === undefined ? request : { ...request, options: { ...options, apiKey } },
      );
    },
  };
}

/** Code without types may return anything. */
function wrongKey(returned: unknown): TurnError {
  const message = `getApiKey returned a value of type ${typeof returned}: return a string, or undefined for no key`;
  return new TurnError("callback_failed", message);
}
