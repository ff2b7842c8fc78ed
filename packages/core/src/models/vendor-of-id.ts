/** Returns the vendor of a provider's models, by its id. */
import { snapshotVendors } from "./snapshot.ts";

/** Ids of the AI SDK that name a vendor differently. */
const otherNames: Readonly<Record<string, string>> = { "azure-openai": "azure" };

/** Ids of the AI SDK name a vendor's API after the vendor, or a platform before it: `openai.responses`, `vertex.anthropic.messages`. */
export function vendorOfId(providerId: string): string {
  const [first = "", ...others] = providerId.split(".");
  const named = otherNames[first] ?? first;
  if (others.length === 0 || snapshotVendors.includes(named)) return named;
  return others.find((part) => snapshotVendors.includes(part)) ?? named;
}
