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

/** Those that are set; a later layer goes before an earlier one. */
export function samplingOf(...layers: readonly (SamplingSettings | undefined)[]): SamplingSettings {
  const settings: Partial<Record<keyof SamplingSettings, unknown>> = {};
  for (const layer of layers) {
    if (layer === undefined) continue;
    for (const name of names) if (layer[name] !== undefined) settings[name] = layer[name];
  }
  // Each value is that of its own name.
  return settings as SamplingSettings;
}
