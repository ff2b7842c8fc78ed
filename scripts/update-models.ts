// Writes the snapshot of models that core has: node scripts/update-models.ts <folder of a pi-ai catalogue>. The catalogue's facts,
// in our own shape; a person looks at the difference and commits it.

import { readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SnapshotModel, SnapshotPrice } from "../packages/core/src/models/snapshot-model.ts";

interface CatalogueCost {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

interface CatalogueModel {
  readonly type: string;
  readonly id: string;
  readonly name: string;
  readonly reasoning: boolean;
  readonly input: readonly string[];
  readonly contextWindow: number;
  readonly maxTokens: number;
  readonly thinkingLevelMap?: Readonly<Record<string, string | null>>;
  readonly cost: CatalogueCost & {
    readonly tiers?: readonly (CatalogueCost & { readonly inputTokensAbove: number })[];
  };
}

type Catalogue = Readonly<Record<string, Readonly<Record<string, CatalogueModel>>>>;

const vendors = [
  "anthropic",
  "azure",
  "deepseek",
  "google",
  "groq",
  "mistral",
  "openai",
  "openrouter",
  "xai",
] as const;

/** The catalogue does not say who reads documents: these do, wherever they see images. */
const readsDocuments: ReadonlySet<string> = new Set(["anthropic", "azure", "google", "openai"]);

const [source] = process.argv.slice(2);
if (source === undefined) {
  console.error("Which folder? node scripts/update-models.ts <folder of a pi-ai catalogue>");
  process.exit(2);
}
const target = join(import.meta.dirname, "../packages/core/src/models/snapshot");
const { generatedAt } = readJson(join(source, ".manifest.json")) as { generatedAt: string };

for (const file of readdirSync(target)) rmSync(join(target, file));
for (const vendor of vendors) {
  const catalogue = readJson(join(source, `${vendor}.json`)) as Catalogue;
  const models = Object.values(catalogue)
    .flatMap((byKey) => Object.values(byKey))
    .filter(({ type }) => type === "chat")
    .map((model) => toSnapshot(vendor, model))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const lines = models.map((model) => JSON.stringify(model)).join(",\n");
  writeFileSync(join(target, `${vendor}.json`), `[\n${lines}\n]\n`);
  console.log(`${vendor}: ${models.length} models`);
}
const about = { date: generatedAt.slice(0, 10), vendors };
writeFileSync(join(target, "about.json"), `${JSON.stringify(about, undefined, 2)}\n`);

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, "utf8"));
}

function toSnapshot(vendor: string, model: CatalogueModel): SnapshotModel {
  const { id, name, contextWindow, maxTokens: maxOutputTokens } = model;
  const price = toPrices(model);
  const seesImages = model.input.includes("image");
  return {
    id,
    name,
    contextWindow,
    maxOutputTokens,
    input: [
      "text",
      ...(seesImages ? (["image"] as const) : []),
      ...(seesImages && readsDocuments.has(vendor) ? (["document"] as const) : []),
    ],
    ...(!model.reasoning && { thinking: false as const }),
    ...(model.reasoning && model.thinkingLevelMap && { thinking: model.thinkingLevelMap }),
    ...(price && { price }),
  };
}

/** Nothing at all is what the catalogue says where it does not know, but for models that are free by name. */
function toPrices({ id, cost }: CatalogueModel): SnapshotModel["price"] {
  if (cost.input === 0 && cost.output === 0 && !/[:/]free$/.test(id)) return undefined;
  const tiers = cost.tiers?.map((tier) => ({ above: tier.inputTokensAbove, ...toPrice(tier) }));
  return { ...toPrice(cost), ...(tiers && { tiers }) };
}

/** A cache that costs nothing is one that the vendor has no price of its own for. */
function toPrice({ input, output, cacheRead, cacheWrite }: CatalogueCost): SnapshotPrice {
  return {
    input,
    output,
    ...(cacheRead > 0 && { cacheRead }),
    ...(cacheWrite > 0 && { cacheWrite }),
  };
}
