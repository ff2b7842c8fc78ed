/** Asks a server how many tokens fit into a request to one of its models. */
import type { JsonValue } from "@capstan/kernel";
import type { ProviderOptions, Vendor } from "../wire/vendor.ts";
import type { JsonObject } from "../wire/wire-json.ts";
import { isObject, listOf, textAt } from "../wire/wire-json.ts";
import { parseJson } from "./parse-json.ts";
import type { WireFetch } from "./proxied-fetch.ts";
import { readText } from "./read-text.ts";
import { prepareQuestion } from "./wire-call.ts";

export interface WindowOptions {
  readonly signal?: AbortSignal | undefined;
  readonly apiKey?: string | undefined;
}

/** Servers that report it answer quickly. */
const timeoutMs = 3_000;
/** OpenRouter lists hundreds of models, each with its description. */
const maxChars = 8_000_000;

type Ask = (path: string, body?: JsonValue) => Promise<JsonObject>;

/** Returns undefined if the server does not report it, or does not answer in time. Never throws. */
export async function findContextWindow(
  vendor: Vendor,
  options: ProviderOptions,
  fetch: WireFetch,
  model: string,
  { signal, apiKey }: WindowOptions,
): Promise<number | undefined> {
  const inTime = AbortSignal.timeout(timeoutMs);
  const either = signal === undefined ? inTime : AbortSignal.any([signal, inTime]);
  const ask: Ask = async (path, body) => {
    try {
      const { url, headers } = prepareQuestion(vendor, options, { path, apiKey });
      const response = await fetch(url, {
        method: body === undefined ? "GET" : "POST",
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: either,
        redirect: "manual",
      });
      if (!response.ok) {
        await response.body?.cancel();
        return {};
      }
      const json = parseJson(await readText(response.body, maxChars));
      // Some servers list their models without a surrounding object.
      return Array.isArray(json) ? { data: json } : isObject(json) ? json : {};
    } catch {
      // No answer means the same as an answer without the window.
      return {};
    }
  };
  return questionsOf(vendor, model, ask);
}

async function questionsOf(
  { protocol, hasServerApi }: Vendor,
  model: string,
  ask: Ask,
): Promise<number | undefined> {
  const path = model.split("/").map(encodeURIComponent).join("/");
  switch (protocol.id) {
    case "anthropic-messages":
      return windowIn(await ask(`/v1/models/${path}`), ["max_input_tokens"]);
    case "google-generate":
      return windowIn(await ask(`/v1beta/models/${path}`), ["inputTokenLimit"]);
    default: {
      const listed = windowInList(await ask("/models"), model);
      if (listed !== undefined || hasServerApi !== true) return listed;
      const found = await Promise.all([
        askLlamaCpp(ask),
        askOllama(ask, model),
        askLmStudio(ask, model),
      ]);
      return found.find((window) => window !== undefined);
    }
  }
}

/** Names used by vLLM, Groq, OpenRouter, Mistral and others. */
const listedFields = [
  "context_window",
  "max_model_len",
  "context_length",
  "max_context_length",
  "max_input_tokens",
] as const;

function windowInList(list: JsonObject, model: string): number | undefined {
  const row = rowOf(list, model);
  const { meta } = row;
  return windowIn(row, listedFields) ?? windowIn(isObject(meta) ? meta : {}, ["n_ctx"]);
}

/** https://github.com/ggml-org/llama.cpp/tree/master/tools/server: `/props` has the context size of a slot. */
async function askLlamaCpp(ask: Ask): Promise<number | undefined> {
  const { default_generation_settings: slot } = await ask("../props");
  return isObject(slot) ? windowIn(slot, ["n_ctx"]) : undefined;
}

/** https://docs.ollama.com/api: the window of the running model, else the one its Modelfile sets, else the model's maximum. */
async function askOllama(ask: Ask, model: string): Promise<number | undefined> {
  const [running, details] = await Promise.all([ask("../api/ps"), ask("../api/show", { model })]);
  const loaded = listOf(running["models"]).find(
    (row) => isObject(row) && [model, `${model}:latest`].includes(textAt(row, "name") ?? ""),
  );
  const [, chosen] = /^num_ctx\s+(\d+)\s*$/m.exec(textAt(details, "parameters") ?? "") ?? [];
  const facts = isObject(details["model_info"]) ? details["model_info"] : {};
  const own = `${textAt(facts, "general.architecture") ?? ""}.context_length`;
  return (
    (isObject(loaded) ? windowIn(loaded, ["context_length"]) : undefined) ??
    (chosen === undefined ? undefined : Number(chosen)) ??
    windowIn(facts, [own])
  );
}

/** https://lmstudio.ai/docs/developer/rest: only its own API reports it. */
async function askLmStudio(ask: Ask, model: string): Promise<number | undefined> {
  const row = rowOf(await ask("../api/v0/models"), model);
  return windowIn(row, ["loaded_context_length", "max_context_length"]);
}

function rowOf(list: JsonObject, model: string): JsonObject {
  const row = listOf(list["data"]).find((row) => isObject(row) && row["id"] === model);
  return isObject(row) ? row : {};
}

/** Ignores zero, which servers send if they do not know. */
function windowIn(row: JsonObject, fields: readonly string[]): number | undefined {
  return fields
    .map((field) => row[field])
    .find((value): value is number => Number.isSafeInteger(value) && Number(value) > 0);
}
