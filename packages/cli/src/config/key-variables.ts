/** Variables that hold keys of vendors. The command needs them, its tools do not. */
import { vendorRows } from "@capstan/providers/vendors";
import type { Settings } from "./settings.ts";

export function keyVariablesOf({ providers }: Pick<Settings, "providers">): readonly string[] {
  const own = Object.values(providers).map(({ keyVariable }) => keyVariable);
  const known = vendorRows.map(({ keyVariable }) => keyVariable);
  return [...new Set([...known, ...own].filter((name) => name !== undefined))];
}
