/** Model servers on this machine: how to identify each one, and what it reports about its models. */
import type { JsonValue } from "@capstan/kernel";
import type { ServerAnswers } from "./ask-server.ts";

export interface LocalModel {
  readonly id: string;
  readonly isLoaded: boolean;
  /**
   * False for a model that is forwarded to another host, only makes embeddings, or does not support tool calls: it is listed, but never
   * chosen automatically.
   */
  readonly isSuitable: boolean;
  /** Window the model runs with, else its maximum. */
  readonly contextWindow?: number;
}

/** Undefined if it is another server, or none. Loaded models come first. */
type ListModels = (server: ServerAnswers) => Promise<readonly LocalModel[] | undefined>;

/** By vendor id, in order of preference. */
export const localServers: Readonly<Record<string, ListModels>> = {
  ollama: listOllama,
  llamacpp: listLlamaCpp,
  lmstudio: listLmStudio,
};

/** Maximum number of models that are queried one by one. */
const maxDetails = 16;

/** https://docs.ollama.com/api: the list has names only, so each model's details are queried. */
async function listOllama(server: ServerAnswers): Promise<readonly LocalModel[] | undefined> {
  const [version, tags, running] = await Promise.all([
    server.json("/api/version"),
    server.json("/api/tags"),
    server.json("/api/ps"),
  ]);
  const installed = listIn(tags, "models");
  if (typeof field(version, "version") !== "string" || installed === undefined) return undefined;
  const windows = new Map(
    (listIn(running, "models") ?? []).map((row) => [
      textIn(row, "name"),
      countIn(row, "context_length"),
    ]),
  );
  const rows = loadedFirst(installed, "name", ({ id }) => windows.has(id));
  const models = rows.slice(0, maxDetails).map(async ({ id, row }): Promise<LocalModel> => {
    // A model with a remote host is only forwarded by this server.
    const isElsewhere = textIn(row, "remote_host") !== "";
    const details = isElsewhere ? undefined : await server.json("/api/show", { model: id });
    const capabilities = listIn(details, "capabilities");
    // Older versions do not report capabilities; their models count as supporting tools.
    const callsTools = capabilities === undefined || capabilities.includes("tools");
    return {
      id,
      isLoaded: windows.has(id),
      isSuitable: !isElsewhere && callsTools,
      ...windowOf(windows.get(id) ?? chosenWindow(details) ?? ownWindow(details)),
    };
  });
  return Promise.all(models);
}

/** Parses the parameters of the model file, one per line. */
function chosenWindow(details: JsonValue | undefined): number | undefined {
  const [, count] = /^num_ctx\s+(\d+)\s*$/m.exec(textIn(details, "parameters")) ?? [];
  return count === undefined ? undefined : Number(count);
}

function ownWindow(details: JsonValue | undefined): number | undefined {
  const facts = field(details, "model_info");
  return countIn(facts, `${textIn(facts, "general.architecture")}.context_length`);
}

/** https://github.com/ggml-org/llama.cpp/tree/master/tools/server: it owns its models, and `/props` has the window of one slot. */
async function listLlamaCpp(server: ServerAnswers): Promise<readonly LocalModel[] | undefined> {
  const [list, props] = await Promise.all([server.json("/v1/models"), server.json("/props")]);
  const rows = listIn(list, "data");
  const isOurs = rows?.some((row) => textIn(row, "owned_by") === "llamacpp") ?? false;
  if (rows === undefined || !isOurs) return undefined;
  // If the server has many models and loads them on demand, `/props` describes none of them.
  const slot = rows.length === 1 ? field(props, "default_generation_settings") : undefined;
  const isLoaded = ({ row }: Row): boolean =>
    ["", "loaded"].includes(textIn(field(row, "status"), "value"));
  return loadedFirst(rows, "id", isLoaded).map((listed) => {
    const meta = field(listed.row, "meta");
    const window = countIn(slot, "n_ctx") ?? countIn(meta, "n_ctx") ?? countIn(meta, "n_ctx_train");
    return {
      id: listed.id,
      isLoaded: isLoaded(listed),
      isSuitable: true,
      ...windowOf(window),
    };
  });
}

/** https://lmstudio.ai/docs/developer/rest: only its own API reports which models are loaded. */
async function listLmStudio(server: ServerAnswers): Promise<readonly LocalModel[] | undefined> {
  const rows = listIn(await server.json("/api/v0/models"), "data");
  const isOurs = rows?.every((row) => textIn(row, "type") !== "" && textIn(row, "state") !== "");
  if (rows === undefined || isOurs !== true) return undefined;
  return loadedFirst(rows, "id", ({ row }) => textIn(row, "state") === "loaded").map((listed) => {
    const { id, row } = listed;
    return {
      id,
      isLoaded: textIn(row, "state") === "loaded",
      isSuitable: ["llm", "vlm"].includes(textIn(row, "type")),
      ...windowOf(countIn(row, "loaded_context_length") ?? countIn(row, "max_context_length")),
    };
  });
}

interface Row {
  readonly id: string;
  readonly row: JsonValue;
}

/** Models with a name, loaded ones first, otherwise in the server's order. */
function loadedFirst(
  rows: readonly JsonValue[],
  nameField: string,
  isLoaded: (row: Row) => boolean,
): readonly Row[] {
  return rows
    .map((row) => ({ id: textIn(row, nameField), row }))
    .filter(({ id }) => id !== "")
    .toSorted((a, b) => Number(isLoaded(b)) - Number(isLoaded(a)));
}

function windowOf(contextWindow: number | undefined): { readonly contextWindow?: number } {
  return contextWindow === undefined ? {} : { contextWindow };
}

function field(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  // Not an array: an object, and its fields are JSON.
  const record = value as Readonly<Record<string, JsonValue>>;
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

function textIn(value: JsonValue | undefined, name: string): string {
  const found = field(value, name);
  return typeof found === "string" ? found : "";
}

/** Servers report zero if they do not know. */
function countIn(value: JsonValue | undefined, name: string): number | undefined {
  const found = field(value, name);
  return typeof found === "number" && Number.isSafeInteger(found) && found > 0 ? found : undefined;
}

function listIn(value: JsonValue | undefined, name: string): readonly JsonValue[] | undefined {
  const found = field(value, name);
  return Array.isArray(found) ? found : undefined;
}
