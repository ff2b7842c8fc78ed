/** Context windows of unknown models: the server is asked once per model; if it does not tell, a small window is assumed. */
import type { Logger, ProviderContract, Timer } from "@capstan/kernel";
import { isPromise } from "@capstan/kernel";
import type { MaybePromise } from "@capstan/log";
import { andThen } from "@capstan/log";
import { assumedWindow, findWindowMs } from "../platform/limits.ts";
import { within } from "../platform/within.ts";
import type { AgentInit } from "../agent/agent-init.ts";
import type { Model } from "./model.ts";
import { nameOf } from "./model.ts";

interface Surroundings {
  readonly getApiKey: AgentInit["getApiKey"];
  readonly timer: Timer | undefined;
  readonly logger: Logger | undefined;
}

/** Replies of servers, received or pending, by provider and model. No server is asked twice about a model. */
const told = new WeakMap<ProviderContract, Map<string, MaybePromise<number | undefined>>>();
const warned = new Set<string>();

/** Never fails, and waits a few seconds at most. */
export function findWindow(model: Model, surroundings: Surroundings): MaybePromise<number> {
  return andThen(toldWindow(model, surroundings), (window) => {
    if (window !== undefined) return window;
    warnOnce(model, surroundings.logger);
    return assumedWindow;
  });
}

function toldWindow(model: Model, surroundings: Surroundings): MaybePromise<number | undefined> {
  // The wrapper around fallback models is new for each turn.
  const { provider = model.provider, id = model.id } = model.provider.fallback?.models[0] ?? {};
  if (provider.findContextWindow === undefined) return undefined;
  const known = told.get(provider) ?? new Map<string, MaybePromise<number | undefined>>();
  told.set(provider, known);
  if (known.has(id)) return known.get(id);
  const asked = ask(provider, id, surroundings).then((window) => {
    known.set(id, window);
    return window;
  });
  known.set(id, asked);
  return asked;
}

async function ask(
  provider: ProviderContract,
  id: string,
  { getApiKey, timer }: Surroundings,
): Promise<number | undefined> {
  const stop = new AbortController();
  const work = async (): Promise<number | undefined> => {
    const apiKey = await getApiKey?.(provider.id);
    return provider.findContextWindow?.(id, { signal: stop.signal, apiKey });
  };
  try {
    const window = await within(timer, findWindowMs, work(), "findContextWindow");
    return typeof window === "number" && window > 0 && window < Infinity ? window : undefined;
  } catch {
    // The turn itself will report what is wrong with the key or the server.
    return undefined;
  } finally {
    stop.abort();
  }
}

function warnOnce(model: Model, logger: Logger | undefined): void {
  const name = nameOf(model);
  if (warned.has(name)) return;
  warned.add(name);
  const text = `The context window of the model "${name}" is unknown: sessions are compacted as if it were ${assumedWindow.toLocaleString("en-US")} tokens. State contextWindow in the model's facts, or set compaction`;
  try {
    if (logger === undefined) return console.warn(`${text} (shown once)`);
    const returned: unknown = logger.log("warn", text, { model: name });
    if (isPromise(returned)) returned.then(undefined, () => {});
  } catch {
    // A logger that fails must not fail the turn.
  }
}
