/** Sampling settings among other options. */
import type { SamplingSettings } from "@capstan/kernel";

const names = [
  "temperature",
  "maxTokens",
  "topP",
  "topK",
  "stop",
  "seed",
  "frequencyPenalty",
  "presencePenalty",
  "serviceTier",
] as const satisfies readonly (keyof SamplingSettings)[];

/** Returns the settings that are set; later layers take precedence. */
export function samplingOf(...layers: readonly (SamplingSettings | undefined)[]): SamplingSettings {
  const settings: Partial<Record<keyof SamplingSettings, unknown>> = {};
  for (const layer of layers) {
    if (layer === undefined) continue;
    for (const name of names) if (layer[name] !== undefined) settings[name] = layer[name];
  }
  // Each value is that of its own name.
  return settings as SamplingSettings;
}
