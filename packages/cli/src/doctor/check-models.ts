/** Checks keys, servers on this machine, and which model a prompt would get. */
import { isCapstanError } from "@capstan/core";
import type { Settings } from "../config/settings.ts";
import type { ModelChoiceInput } from "../model/choose-model.ts";
import { chooseModel } from "../model/choose-model.ts";
import type { KnownVendor } from "../model/known-vendors.ts";
import type { FoundServer } from "../model/look-for-local.ts";
import { lookForLocal, placeOf } from "../model/look-for-local.ts";
import type { ModelSource } from "../model/model-source.ts";
import { offlineModel } from "../model/model-source.ts";
import type { Check } from "./check.ts";

/** Reports whether a key is set, and never shows it. */
export function checkKeys({ vendors }: ModelSource): readonly Check[] {
  const withKey = vendors.filter(({ row }) => row.keyVariable !== undefined);
  const set = withKey.filter(({ apiKey }) => apiKey !== undefined).map(checkKey);
  const names = withKey
    .filter(({ apiKey }) => apiKey === undefined)
    .map(({ row }) => row.keyVariable);
  const notSet: Check = { name: "keys", state: "ok", text: `not set: ${names.join(", ")}` };
  return names.length === 0 ? set : [...set, notSet];
}

/** Accepts the same characters as requests do. */
function checkKey({ row, apiKey = "", missing }: KnownVendor): Check {
  const name = `key of ${row.name}`;
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    return {
      name,
      state: "fail",
      text: `${row.keyVariable} contains a space, a line break or another character that keys never have`,
      advice: `copy the key again, and set ${row.keyVariable} to nothing else`,
    };
  }
  if (missing === "base_url") {
    return {
      name,
      state: "warn",
      text: `${row.keyVariable} is set, but the base URL of ${row.name} is not`,
      advice: `set ${row.baseUrlVariable ?? `providers.${row.id}.baseUrl`}`,
    };
  }
  return { name, state: "ok", text: `${row.keyVariable} is set` };
}

export async function checkServers(
  { vendors }: ModelSource,
  signal: AbortSignal,
  limitMs: number,
): Promise<readonly Check[]> {
  return (await lookForLocal(vendors, { signal, limitMs })).map(checkServer);
}

function checkServer({ vendor, state, models }: FoundServer): Check {
  const { row } = vendor;
  const address = placeOf(vendor);
  const name = row.name;
  if (state === "absent") return { name, state: "ok", text: `not running at ${address}` };
  if (state === "other") {
    const text = `a different server answers at ${address}`;
    const variable = row.baseUrlVariable ?? `providers.${row.id}.baseUrl`;
    return { name, state: "warn", text, advice: `if it runs elsewhere, set ${variable}` };
  }
  const suitable = models.filter(({ isSuitable }) => isSuitable);
  const shown = suitable.slice(0, 5).map(({ id, isLoaded }) => (isLoaded ? `${id} (loaded)` : id));
  if (shown.length > 0) return { name, state: "ok", text: `at ${address}: ${shown.join(", ")}` };
  return {
    name,
    state: "warn",
    text: `at ${address}, without a model that supports tool calls`,
    advice: "install or load one",
  };
}

/** Makes the same choice as a prompt would. */
export async function checkChoice(
  settings: Settings,
  source: ModelSource,
  choice: Pick<ModelChoiceInput, "isOffline" | "signal">,
): Promise<Check> {
  try {
    const { name, reason, model } = await chooseModel({ settings, source, ...choice });
    const text = `${name}, because ${reason}`;
    if (model !== offlineModel || choice.isOffline) return { name: "model", state: "ok", text };
    const advice = "set a key, or start a local server that has a model";
    return { name: "model", state: "warn", text, advice };
  } catch (thrown) {
    if (!isCapstanError(thrown)) throw thrown;
    return { name: "model", state: "fail", text: thrown.message };
  }
}
