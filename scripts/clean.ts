// Removes what the build wrote, also the output of source files that are gone.

import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const packages = join(root, "packages");

await rm(join(root, "tsconfig.test.tsbuildinfo"), { force: true });
await rm(join(packages, "core", "docs"), { recursive: true, force: true });
for (const name of await readdir(packages)) {
  await rm(join(packages, name, "dist"), { recursive: true, force: true });
}
