import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

test("the example of the README runs and prints what its comments say", () => {
  const readme = readFileSync(join(import.meta.dirname, "../README.md"), "utf8");
  const [, example = ""] = /```ts\n(.*?)```/s.exec(readme) ?? [];
  const promised = [...example.matchAll(/\); \/\/ (.*)/g)].map(([, comment]) => comment);

  const printed = execFileSync(
    process.execPath,
    ["--conditions=@capstan/source", "--input-type=module-typescript", "-"],
    { input: example, cwd: import.meta.dirname, encoding: "utf8" },
  );

  expect(promised).toHaveLength(2);
  expect(printed.trimEnd().split("\n")).toEqual(promised);
});
