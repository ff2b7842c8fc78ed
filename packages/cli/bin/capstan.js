#!/usr/bin/env node
// Committed as it is: npm links no command whose file does not exist yet, and dist/ is built after that.
import { existsSync } from "node:fs";

if (existsSync(new URL("../dist/main.js", import.meta.url))) {
  await import("../dist/main.js");
} else {
  console.error("capstan is not built yet: run `npm ci` or `npm run build` in its repository.");
  process.exitCode = 1;
}
