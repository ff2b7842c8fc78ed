/** The client as a browser gets it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import type * as client from "@capstan/client";
import { say } from "@capstan/testing";
import { expect, onTestFinished, test } from "vitest";
import { bundle } from "./bundle.ts";
import { serve, token } from "./transports.ts";

test("it is below 14 KB, minified and compressed, and imports nothing", async () => {
  const code = await bundle();

  expect(gzipSync(code).length).toBeLessThan(14_000);
  expect(code).not.toMatch(/\bimport\b|node:|\brequire\b/);
});

test("it runs by itself, on nothing but what the web has", async () => {
  const { node } = await serve([say("Hello")]);
  const folder = mkdtempSync(join(tmpdir(), "capstan-bundle-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "client.mjs");
  writeFileSync(path, await bundle());

  const { connect } = (await import(pathToFileURL(path).href)) as typeof client;
  const connected = connect({ url: node.url, token });
  const { text } = await connected.createSession().send("Hi").response;
  connected.close();

  expect(text).toBe("Hello");
});
