/** What a log holds of the overrides of one turn. */
import type { TurnOptions } from "@capstan/log";
import type { TurnOverrides } from "./agent/agent-init.ts";
import { nameOfChoice } from "./agent/model.ts";

/** Undefined if nothing differs. */
export function toTurnOptions(overrides: TurnOverrides): TurnOptions | undefined {
  const { model, thinkingLevel, toolChoice, temperature, maxTokens } = overrides;
  const options: TurnOptions = {
    ...(model !== undefined && { model: nameOfChoice(model) }),
    ...(thinkingLevel !== undefined && { thinkingLevel }),
    ...(toolChoice !== undefined && { toolChoice }),
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { maxTokens }),
  };
  return Object.keys(options).length === 0 ? undefined : options;
}
