/** The file of logins: broken ones are named and kept, and writers do not lose each other's logins. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createHash } from "node:crypto";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { execFileSync } from "node:child_process";
import { fileTokenStore } from "@capstan/mcp";
import type { StoredLogin } from "@capstan/mcp";
import { expect, test } from "vitest";
import { loginWorld } from "./login-world.ts";

const login: StoredLogin = {
  server: "https://mcp.example/",
  issuer: "https://as.example",
  tokenEndpoint: "https://as.example/token",
  authMethods: [],
  clientId: "c",
  resource: "https://mcp.example/",
  accessToken: "secret-token",
};

test.each([
  ["is not JSON", '{"logins": secret-token'],
  ["is empty", ""],
  ["is a list", "[]"],
  ["is of another version", '{"version":3,"logins":{}}'],
  ["has a login without a token", '{"version":1,"logins":{"k":{"server":"secret-token"}}}'],
])("a file that %s is an error without its content, and stays", async (_, text) => {
  await using world = await loginWorld();
  await mkdir(dirname(world.path), { recursive: true });
  await writeFile(world.path, text);

  await expect(world.login()).rejects.toMatchObject({
    code: "token_store",
    message: expect.not.stringContaining("secret-token"),
  });
  await expect(world.store.update("k", async () => login)).rejects.toThrow(world.path);
  expect(await readFile(world.path, "utf8")).toBe(text);
});

test("writers at the same time lose nothing", async () => {
  await using world = await loginWorld();
  const keys = Array.from({ length: 20 }, (__, index) => `key ${index}`);
  await Promise.all(keys.map((key) => fileTokenStore(world.path).update(key, async () => login)));

  const stored = await Promise.all(keys.map((key) => world.store.load(key)));
  expect(stored).toEqual(keys.map(() => login));
});

test("a change that fails stores nothing, and leaves no lock", async () => {
  await using world = await loginWorld();
  const failing = world.store.update("k", () => Promise.reject(new Error("no")));

  await expect(failing).rejects.toThrow("no");
  expect(await world.store.update("k", async () => login)).toEqual(login);
});

test("the lock of a process that died is taken over", async () => {
  await using world = await loginWorld();
  const pid = Number(execFileSync(process.execPath, ["-p", "process.pid"], { encoding: "utf8" }));
  const id = createHash("sha256").update("k").digest("hex").slice(0, 16);
  await mkdir(dirname(world.path), { recursive: true });
  const mark = JSON.stringify({ pid, host: hostname(), id: "x" });
  await writeFile(`${world.path}.${id}.lock`, mark);
  await writeFile(`${world.path}.lock`, mark);

  expect(await world.store.update("k", async () => login)).toEqual(login);
});
