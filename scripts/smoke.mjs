// Run by pack-smoke.ts in a folder where the packed packages are installed, on each supported Node.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const modules = join(import.meta.dirname, "node_modules");
const names = [
  "capstan",
  ...readdirSync(join(modules, "@capstan")).map((name) => `@capstan/${name}`),
];
const manifests = names.map((name) =>
  JSON.parse(readFileSync(join(modules, name, "package.json"), "utf8")),
);

for (const { name, exports } of manifests) {
  for (const subpath of Object.keys(exports)) {
    if (subpath.endsWith(".json")) continue;
    test(`${name}${subpath.slice(1)} can be imported and exports something`, async () => {
      const module = await import(name + subpath.slice(1));

      assert.notEqual(Object.keys(module).length, 0);
    });
  }
}

test("the capstan command is linked", () => {
  const commands = readdirSync(join(modules, ".bin"));

  assert.ok(commands.some((file) => file.startsWith("capstan")));
});

test("the capstan command says its version", () => {
  const command = join(modules, "capstan", "bin", "capstan.js");

  const { status, stdout } = spawnSync(process.execPath, [command, "--version"], {
    encoding: "utf8",
  });

  assert.equal(status, 0);
  assert.match(stdout, /\b0\.\d+\.\d+\b/);
});
