/** `capstan models`: lists names, context windows and prices. */
import type { RegisteredModel } from "@capstan/core";
import type { ModelsRequest } from "../command-line/request.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import type { Io } from "../process/io.ts";
import type { ExitCode } from "./exit-code.ts";
import type { KnownVendor } from "../model/known-vendors.ts";
import { lookForLocal } from "../model/look-for-local.ts";
import type { ModelSource } from "../model/model-source.ts";
import { createModelSource } from "../model/model-source.ts";
import { toOneLine } from "../print/terminal-text.ts";

interface ListedModel {
  readonly name: string;
  readonly label?: string;
  readonly contextWindow?: number;
  readonly price?: RegisteredModel["price"];
  /** Variable to set before the model is available. */
  readonly needs?: string;
}

/** Throws a `ModelError` if the configuration is incomplete. */
export async function runModels(
  io: Io,
  request: ModelsRequest,
  { settings }: LoadedConfig,
): Promise<ExitCode> {
  const source = createModelSource(settings, io.env);
  const known = await ofRegistry(source);
  const local = request.isOffline ? [] : await ofServers(source, io.signal, settings.lookMs);
  // The configuration's facts about a model override the server's.
  const byName = new Map([...local, ...known].map((model) => [model.name, model]));
  const all = Array.from(byName.values()).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const inReach = request.isAll ? all : all.filter(({ needs }) => needs === undefined);
  const models = inReach.filter((model) => hasWords(model, request.filter));
  const text = request.isJson ? toJsonLines(models) : toTable(models);
  io.stdout.write(io.stdout.isTTY ? text.split("\n").map(toOneLine).join("\n") : text);
  if (models.length === 0) io.stderr.write(`capstan: ${nothing(request, all.length)}\n`);
  return 0;
}

async function ofRegistry({ registry, vendors }: ModelSource): Promise<readonly ListedModel[]> {
  const byId = new Map(vendors.map((vendor) => [vendor.row.id, vendor]));
  return (await registry.list()).map(({ vendor, id, label, facts, price }) => {
    const needs = whatIsNeeded(byId.get(vendor));
    const contextWindow = facts?.contextWindow;
    return {
      name: `${vendor}/${id}`,
      ...(label !== undefined && { label }),
      ...(contextWindow !== undefined && { contextWindow }),
      ...(price && { price }),
      ...(needs !== undefined && { needs }),
    };
  });
}

function whatIsNeeded(vendor: KnownVendor | undefined): string | undefined {
  if (vendor?.missing === undefined) return undefined;
  const { row, missing } = vendor;
  const variable = missing === "key" ? row.keyVariable : row.baseUrlVariable;
  return variable ?? `providers.${row.id}.baseUrl`;
}

async function ofServers(
  { vendors }: ModelSource,
  signal: AbortSignal,
  limitMs: number,
): Promise<readonly ListedModel[]> {
  const servers = await lookForLocal(vendors, { signal, limitMs });
  return servers.flatMap(({ vendor, models }) =>
    models.map(({ id, contextWindow }) => ({
      name: `${vendor.row.id}/${id}`,
      ...(contextWindow !== undefined && { contextWindow }),
    })),
  );
}

/** True if the name or the label contains every word. */
function hasWords({ name, label = "" }: ListedModel, filter: string): boolean {
  const text = `${name} ${label}`.toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function toJsonLines(models: readonly ListedModel[]): string {
  return models.map((model) => `${JSON.stringify(model)}\n`).join("");
}

function toTable(models: readonly ListedModel[]): string {
  if (models.length === 0) return "";
  const isOutOfReach = models.some(({ needs }) => needs !== undefined);
  const rows = [
    ["MODEL", "CONTEXT", "INPUT $/M", "OUTPUT $/M", ...(isOutOfReach ? ["NEEDS"] : [])],
    ...models.map(({ name, contextWindow, price, needs = "" }) => [
      name,
      contextWindow?.toLocaleString("en") ?? "?",
      toDollars(price?.inputPerMillion),
      toDollars(price?.outputPerMillion),
      needs,
    ]),
  ];
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const lines = rows.map((row) => row.map((cell, column) => padded(cell, column, widths[column])));
  return lines.map((cells) => `${cells.join("  ").trimEnd()}\n`).join("");
}

/** Right-aligns the columns with numbers. */
function padded(cell: string, column: number, width = 0): string {
  return column >= 1 && column <= 3 ? cell.padStart(width) : cell.padEnd(width);
}

function toDollars(amount: number | undefined): string {
  return amount === undefined ? "-" : amount.toFixed(2);
}

function nothing({ isAll, filter }: ModelsRequest, count: number): string {
  if (filter !== "" && isAll) return `none of the ${count} models has "${filter}" in its name`;
  const which = filter === "" ? "any model" : `a model with "${filter}" in its name`;
  return `no key or server for ${which}: --all lists the others, \`capstan doctor\` advises what to do`;
}
