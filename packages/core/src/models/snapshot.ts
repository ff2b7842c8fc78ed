/** The models that this version knows, loaded per vendor on first use. */
import type { SnapshotModel } from "./snapshot-model.ts";

/** Date of the facts: the id of the price list. */
export const snapshotDate = "2026-11-02";

type Load = () => Promise<{ readonly default: unknown }>;

const files: Readonly<Record<string, Load>> = {
  anthropic: () => import("./snapshot/anthropic.json", { with: { type: "json" } }),
  azure: () => import("./snapshot/azure.json", { with: { type: "json" } }),
  deepseek: () => import("./snapshot/deepseek.json", { with: { type: "json" } }),
  google: () => import("./snapshot/google.json", { with: { type: "json" } }),
  groq: () => import("./snapshot/groq.json", { with: { type: "json" } }),
  mistral: () => import("./snapshot/mistral.json", { with: { type: "json" } }),
  openai: () => import("./snapshot/openai.json", { with: { type: "json" } }),
  openrouter: () => import("./snapshot/openrouter.json", { with: { type: "json" } }),
  xai: () => import("./snapshot/xai.json", { with: { type: "json" } }),
};

export const snapshotVendors: readonly string[] = Object.keys(files);

/** Empty for a vendor that the snapshot lacks. */
export async function readSnapshot(vendor: string): Promise<readonly SnapshotModel[]> {
  const load = Object.hasOwn(files, vendor) ? files[vendor] : undefined;
  if (load === undefined) return [];
  // Written by the script, which has the type.
  return (await load()).default as readonly SnapshotModel[];
}
