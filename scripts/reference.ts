// Writes docs/reference from the types and doc comments of the packages: `node scripts/reference.ts`.

import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { referencePages } from "./reference/pages.ts";

const folder = join(import.meta.dirname, "..", "docs", "reference");
const pages = await referencePages();
mkdirSync(folder, { recursive: true });
for (const old of readdirSync(folder)) rmSync(join(folder, old));
for (const [name, text] of pages) writeFileSync(join(folder, name), text);
console.log(`${pages.size} pages in docs/reference`);
