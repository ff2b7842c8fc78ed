/** The client as a browser gets it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import type * as client from "@capstan/client";
import { callTool, say } from "@capstan/testing";
import { expect, onTestFinished, test } from "vitest";
import { bundle } from "./bundle.ts";
import { serve, token } from "./transports.ts";

test("it is below 12,000 bytes, minified and compressed, and imports its other parts when they are needed", async () => {
  const files = await bundle();
  const code = files.get("client.js") ?? "";

  expect(gzipSync(code).length).toBeLessThan(12_000);
  expect([...files.keys()]).toEqual([
    "client.js",
    "follow-tree.js",
    "run-call.js",
    "wait-for-idle.js",
  ]);
  // Each by a call, none at the beginning.
  expect(code.match(/\bimport\b/g)).toHaveLength(3);
  expect(code.match(/import\(`[^`]*`\)/g)).toHaveLength(3);
  expect([...files.values()].join()).not.toMatch(/node:|\brequire\b/);
});

test("the hook adds less than 3,000 bytes", async () => {
  const files = await bundle("react");

  expect(gzipSync([...files.values()].join("")).length).toBeLessThan(3_000);
});

test("it runs by itself, on nothing but what the web has, and so do the tools that it lends", async () => {
  const { node } = await serve([callTool("title", {}), say("Hello")]);
  const folder = mkdtempSync(join(tmpdir(), "capstan-bundle-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, code] of await bundle()) writeFileSync(join(folder, name), code);
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');

  const path = pathToFileURL(join(folder, "client.js")).href;
  const { connect, lendTool } = (await import(path)) as typeof client;
  const title = lendTool({
    name: "title",
    description: "Title of the page",
    input: { type: "object" },
    execute: () => "A page",
  });
  const connected = connect({ url: node.url, token, tools: [title] });
  const { text, messages } = await connected.createSession().send("Hi").response;
  connected.close();

  expect(text).toBe("Hello");
  expect(messages[1]).toMatchObject({ role: "tool", content: "A page" });
});
