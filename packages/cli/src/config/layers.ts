/** Merges layers of settings. */
import { join } from "node:path";
import type { FileSettings } from "./schema.ts";
import type { ProviderSettings, Settings } from "./settings.ts";

/** The later layer wins: rules add up, objects merge by key, everything else is replaced. */
export function mergeLayers(below: FileSettings, above: FileSettings): FileSettings {
  return {
    ...below,
    ...above,
    planning: { ...below.planning, ...above.planning },
    retry: { ...below.retry, ...above.retry },
    deadlines: { ...below.deadlines, ...above.deadlines },
    permissions: {
      allow: [...(below.permissions?.allow ?? []), ...(above.permissions?.allow ?? [])],
      ask: [...(below.permissions?.ask ?? []), ...(above.permissions?.ask ?? [])],
      deny: [...(below.permissions?.deny ?? []), ...(above.permissions?.deny ?? [])],
    },
    tools: {
      ...below.tools,
      ...above.tools,
      bash: { ...below.tools?.bash, ...above.tools?.bash },
    },
    // A server is replaced as a whole: the command of one layer with the variables of another would be a third.
    mcp: {
      ...below.mcp,
      ...above.mcp,
      servers: { ...below.mcp?.servers, ...above.mcp?.servers },
    },
    providers: mergeProviders(below.providers ?? {}, above.providers ?? {}),
  };
}

function mergeProviders(
  below: Readonly<Record<string, ProviderSettings>>,
  above: Readonly<Record<string, ProviderSettings>>,
): Readonly<Record<string, ProviderSettings>> {
  const ids = new Set([...Object.keys(below), ...Object.keys(above)]);
  const of = (layer: typeof below, id: string): ProviderSettings =>
    (Object.hasOwn(layer, id) ? layer[id] : undefined) ?? {};
  return Object.fromEntries(
    Array.from(ids, (id) => {
      const [lower, upper] = [of(below, id), of(above, id)];
      const headers = { ...lower.headers, ...upper.headers };
      const hasHeaders = lower.headers !== undefined || upper.headers !== undefined;
      return [id, { ...lower, ...upper, ...(hasHeaders && { headers }) }];
    }),
  );
}

/** A task without a user survives a change of network, and minutes of an overloaded vendor. */
const patient: Settings["retry"] = {
  maxAttempts: 100,
  maxTotalMs: 600_000,
  baseDelayMs: 1_000,
  maxDelayMs: 60_000,
  maxRetryAfterMs: 600_000,
};

/** Fills in the defaults. */
export function toSettings(merged: FileSettings, dataFolder: string): Settings {
  const { $schema: _, maxSteps = 200, lookMs = 200, planning, permissions, ...others } = merged;
  const { roots = [], tools, ...rest } = others;
  return {
    ...rest,
    maxSteps,
    retry: { ...patient, ...merged.retry },
    deadlines: merged.deadlines ?? {},
    // Upper limit of the delay on a first run without any local server.
    lookMs,
    planning: { maxContinuations: planning?.maxContinuations ?? 3 },
    permissions: {
      allow: permissions?.allow ?? [],
      ask: permissions?.ask ?? [],
      deny: permissions?.deny ?? [],
    },
    roots,
    tools: { fetch: tools?.fetch ?? false, bash: tools?.bash ?? {} },
    providers: merged.providers ?? {},
    mcp: { ...merged.mcp, servers: merged.mcp?.servers ?? {} },
    store: merged.store ?? join(dataFolder, "sessions.db"),
  };
}
