/** Modules that importing the core loads. The budget for its types is in `test/type-budget.process.test.ts`. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const packages = join(import.meta.dirname, "..", "..");

/** The packages of ours and the modules of others that a program has loaded when it has imported `specifier`. */
function loadedBy(specifier: string): string[] {
  const program = `
    import { registerHooks } from "node:module";
    const urls = [];
    registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
    await import(${JSON.stringify(specifier)});
    console.log(JSON.stringify(urls));`;
  const args = ["--conditions=@capstan/source", "--input-type=module", "--eval", program];
  const { stdout } = spawnSync(process.execPath, args, {
    cwd: join(packages, "core"),
    encoding: "utf8",
  });
  const urls = JSON.parse(stdout) as string[];
  const names = urls.map((url) => /\/packages\/(\w+)\/src\//.exec(url)?.[1] ?? url);
  return [...new Set(names)].toSorted();
}

test("the core is loaded without zod, without a provider, and without any other third-party module", () => {
  expect(loadedBy("@capstan/core")).toEqual(["core", "kernel", "log"]);
});

test("the list above would show zod", () => {
  expect(loadedBy("@capstan/core/schemas").join()).toContain("/zod/");
});
