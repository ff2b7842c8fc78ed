/**
 * The examples on other runtimes. A run takes one of them, chosen by the commit; `npm run everywhere` takes all. Runtimes print values in their
 * own ways, so quotes, spaces and commas are not compared.
 */
import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { isInstalled, runtimesOfThisRun, skipMissing } from "./runtimes.ts";

const root = join(import.meta.dirname, "..");
const examples = globSync("examples/*.ts", { cwd: root }).sort();

function bare(text: string): string {
  return text.replaceAll(/[\s'"`,]/g, "");
}

describe.each(runtimesOfThisRun())("$name", (runtime) => {
  const { program, args } = runtime;

  test.for(examples)(
    "%s runs and prints what its comments say",
    { timeout: 60_000 },
    async (example, { skip }) => {
      if (!isInstalled(runtime)) skipMissing(runtime.name, skip);
      const source = readFileSync(join(root, example), "utf8");
      const promised = Array.from(source.matchAll(/\/\/ → (.*)$/gm), ([, line]) => line ?? "");

      const run = await promisify(execFile)(program, [...args, example], { cwd: root });

      const printed = bare(run.stdout);
      expect(promised.filter((line) => !printed.includes(bare(line)))).toEqual([]);
      expect(printed).not.toBe("");
      expect(run.stderr).toBe("");
    },
  );
});
