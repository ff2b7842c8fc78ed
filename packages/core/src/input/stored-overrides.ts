/** Overrides of one turn, as the log stores them. */
import type { SamplingSettings } from "@capstan/kernel";
import type { StoredTurnOverrides } from "@capstan/log";
import type { TurnOverrides } from "../agent/agent-init.ts";
import { nameOfChoice } from "../models/model.ts";
import { samplingOf } from "../models/sampling.ts";
import { toStoredOptions } from "./stored-options.ts";

/** Undefined if nothing differs. */
export function toStoredOverrides(overrides: TurnOverrides): StoredTurnOverrides | undefined {
  const { model, thinkingLevel, toolChoice, providerOptions } = overrides;
  const sampling: SamplingSettings = samplingOf(overrides);
  const options: StoredTurnOverrides = {
    ...(model !== undefined && { model: nameOfChoice(model) }),
    ...(thinkingLevel !== undefined && { thinkingLevel }),
    ...(toolChoice !== undefined && { toolChoice }),
    ...sampling,
    ...toStoredOptions(providerOptions),
  };
  return Object.keys(options).length === 0 ? undefined : options;
}
