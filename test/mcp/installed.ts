/** Servers and tests of others, as `npm ci --prefix test/mcp` brings them. */
import { existsSync } from "node:fs";
import { join } from "node:path";

const modules = join(import.meta.dirname, "node_modules");

/** Why tests with them are skipped, if they are. */
export const missing: string | undefined = existsSync(modules)
  ? undefined
  : "not installed: run npm ci --prefix test/mcp";

/** Path of a file of an installed package. */
export function pathOf(file: string): string {
  return join(modules, file);
}
