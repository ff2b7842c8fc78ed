import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const examples = globSync("examples/*.ts", { cwd: root }).sort();

test.each(examples)("%s runs and prints what its comments say", async (example) => {
  const source = readFileSync(join(root, example), "utf8");
  const promised = [...source.matchAll(/\/\/ → (.*)$/gm)].map(([, line]) => line);

  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ["--conditions=@capstan/source", example],
    { cwd: root },
  );

  const printed = stdout.split("\n").map((line) => line.trim());
  expect(printed).toEqual(expect.arrayContaining(["", ...promised]));
  expect(stdout).not.toBe("");
  expect(stderr).toBe("");
});
