/** The first minutes of a newcomer: an empty folder, the packages as npm fetches them, and the commands of the page. */
import { mkdirSync, mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isOldestMissing, nodes } from "./packed/nodes.ts";
import { serveRegistry } from "./packed/registry.ts";
import type { Registry } from "./packed/registry.ts";
import { followPage, run } from "./packed/start-page.ts";
import { skipMissing } from "./runtimes.ts";

const root = join(import.meta.dirname, "..");
const command = join(root, "packages", "create-capstan", "bin", "create-capstan.js");
const scratch = mkdtempSync(join(tmpdir(), "capstan-newcomer-"));
let registry: Registry;

beforeAll(async () => {
  registry = await serveRegistry();
}, 60_000);

afterAll(async () => {
  registry.close();
  await rm(scratch, { recursive: true, force: true });
}, 60_000);

describe.each(nodes)("on %s", (name, node) => {
  test("the start page, followed command by command, does what it says", async () => {
    const folder = join(scratch, `page on ${name}`);
    mkdirSync(folder);

    const page = join(root, "docs", "start", "in-a-program.md");
    const [asked, ...others] = await followPage(page, folder, node, registry.env);

    expect(asked?.printed[0]).toMatch(/^auth No API key for Anthropic/);
    expect(others.map(({ file }) => file)).toEqual(["smallest-program.ts", "keep-sessions.ts"]);
    for (const { promised, printed } of others) expect(printed).toEqual(promised);
  }, 120_000);

  test.each(["script", "server", "web-chat", "worker"])(
    "a new project from the template %s passes its own tests and its type check",
    async (template) => {
      const folder = join(scratch, `${template}-${name.replaceAll(/\W/g, "")}`.toLowerCase());
      await run(`node ${command} ${folder} --template ${template}`, scratch, node, {});

      await run("npm install --prefer-offline", folder, node, registry.env);

      expect(await run("npm test", folder, node, registry.env)).toMatch(
        /pass [1-9]\d*\n.*fail 0\n/s,
      );
      await run("npm run types", folder, node, registry.env);
    },
    120_000,
  );
});

if (isOldestMissing) {
  test("the same on Node 22.18", ({ skip }) => skipMissing("Node 22.18", skip));
}
