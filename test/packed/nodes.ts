/** Versions of Node that the packages promise to run on. */
import { existsSync } from "node:fs";
import { join } from "node:path";

/** The oldest one, as `npm ci --prefix test/runtimes` brings it. */
const oldest = join(import.meta.dirname, "..", "runtimes", "node_modules", ".bin", "node");

/** Binaries by the name that tests show. */
export const nodes: readonly (readonly [name: string, binary: string])[] = [
  ["this Node", process.execPath],
  ...(existsSync(oldest) ? [["Node 22.18", oldest] as const] : []),
];

/** Whether the oldest one is not tried. */
export const isOldestMissing = !existsSync(oldest);
