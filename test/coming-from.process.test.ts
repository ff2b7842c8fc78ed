/** The programs of other libraries in docs/coming-from: each runs, with the versions that its page names. */
import { execFile } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const peers = join(root, "bench", "peers");
const apps = globSync("apps/*/app.js", { cwd: peers }).sort();

test.for(apps)("%s refunds the order once it is approved", async (app, { skip }) => {
  skip(!existsSync(join(peers, "node_modules")), "not installed: run npm ci --prefix bench/peers");

  const { promise: printed, resolve, reject } = Promise.withResolvers<string>();
  const cwd = mkdtempSync(join(tmpdir(), "coming-from-"));
  const env = { ...process.env, OPENAI_AGENTS_DISABLE_TRACING: "1" };
  const child = execFile(process.execPath, [join(peers, app)], { cwd, env }, (error, stdout) =>
    error === null ? resolve(stdout) : reject(error),
  );
  child.stdin?.end("y\n"); // for the app that asks in the terminal

  expect((await printed).trimEnd()).toMatch(/Your refund of 120 is on its way\.$/);
});

test.for(apps)("the page about %s shows it as it is", (app) => {
  const [, name = ""] = app.split("/");
  const page = readFileSync(join(root, "docs", "coming-from", `${name}.md`), "utf8");

  const shown = /^```js\n(.*?)^```$/ms.exec(page)?.[1];

  expect(shown).toBe(readFileSync(join(peers, app), "utf8"));
});

test.for(apps)("the page about %s names the versions that are installed", (app) => {
  const [, name = ""] = app.split("/");
  const page = readFileSync(join(root, "docs", "coming-from", `${name}.md`), "utf8");
  const source = readFileSync(join(peers, app), "utf8");
  const { dependencies } = JSON.parse(readFileSync(join(peers, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  const main = Object.keys(dependencies).find(
    (library) => library !== "zod" && library !== "typebox" && source.includes(`from "${library}`),
  );

  expect(page).toContain(dependencies[main ?? ""]);
});
