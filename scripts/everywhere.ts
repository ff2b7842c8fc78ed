/** `npm run everywhere`: all examples, servers and stores on all runtimes that `npm ci --prefix test/runtimes` installs. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
const tests = [
  "test/examples.process.test.ts",
  "test/examples-elsewhere.process.test.ts",
  "test/mounts.process.test.ts",
  "packages/stores/test/durable-object.process.test.ts",
  "packages/stores/test/killed-objects.process.test.ts",
];
const { status } = spawnSync(process.execPath, [vitest, "run", "--project", "process", ...tests], {
  cwd: root,
  env: { ...process.env, CAPSTAN_RUNTIMES: "all" },
  stdio: "inherit",
});
process.exitCode = status ?? 1;
