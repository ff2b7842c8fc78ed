/** Types of the example pages: the check of the root knows neither the DOM nor React. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");

test.for([
  ["web-chat", "node_modules/typescript"],
  ["use-chat", "examples/use-chat/node_modules/vite"],
] as const)("%s has no type errors", { timeout: 60_000 }, async ([name, needed], { skip }) => {
  skip(!existsSync(join(root, needed)), `not installed: run npm ci --prefix examples/${name}`);

  const checked = promisify(execFile)("tsc", ["-p", `examples/${name}`], { cwd: root });

  // It fails with the errors.
  expect((await checked).stdout).toBe("");
});
