// Run by pack-smoke.ts in a folder where the packed packages are installed, on each supported Node.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
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

test("a session runs through the installed packages", async () => {
  const { createAgent, createHost } = await import("@capstan/core");
  const { memoryRepository } = await import("@capstan/log");
  const { say, scriptedProvider } = await import("@capstan/testing");
  const agent = createAgent({ name: "helper", model: scriptedProvider([say("Done.")]) });
  const host = createHost({ agents: [agent], repository: memoryRepository() });

  const { status, text } = await host.createSession({ agent: "helper" }).send("Hi").response;

  assert.equal(status, "completed");
  assert.equal(text, "Done.");
  await host.close();
});

test("a session lasts in a file and in a folder", async () => {
  const { createAgent, createHost } = await import("@capstan/core");
  const { fs } = await import("@capstan/stores/fs");
  const { sqlite } = await import("@capstan/stores/sqlite");
  const { say, scriptedProvider } = await import("@capstan/testing");
  const folder = mkdtempSync(join(tmpdir(), "capstan-smoke-"));
  for (const open of [() => sqlite(join(folder, "s.db")), () => fs(join(folder, "sessions"))]) {
    const agent = createAgent({ name: "helper", model: scriptedProvider([say("Done.")]) });
    const store = open();
    const host = createHost({ agents: [agent], repository: store });
    const session = host.createSession({ agent: "helper", id: "s" });
    await session.send("Hi").response;
    await host.close();
    await store.close();

    const again = open();
    assert.equal(again.list().sessions[0].head.status, "completed");
    assert.ok(again.read("s").entries.length > 3);
    await again.close();
  }
  rmSync(folder, { recursive: true });
});

test("a server answers on a port", async () => {
  const { createAgent, createHost } = await import("@capstan/core");
  const { memoryRepository } = await import("@capstan/log");
  const { bearerTokens, createServer } = await import("@capstan/server");
  const { serveNode } = await import("@capstan/server/node");
  const { say, scriptedProvider } = await import("@capstan/testing");
  const agent = createAgent({ name: "helper", model: scriptedProvider([say("Done.")]) });
  const host = createHost({ agents: [agent], repository: memoryRepository() });
  const token = "smoke-0123456789abcdef";
  const server = createServer({ host, authenticate: bearerTokens({ smoke: token }) });
  const { url, close } = await serveNode(server);
  const response = await fetch(`${url}/api/agent/execute`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ input: "Hi" }),
  });
  assert.match(await response.text(), /"delta":"Done\."[\s\S]*execute_complete/);
  await close();
});

test("a turn runs through the installed packages", async () => {
  const { runTurn } = await import("@capstan/kernel");
  const { callTool, echoTool, say, scriptedProvider } = await import("@capstan/testing");
  const provider = scriptedProvider([callTool("echo", { x: 1 }), say("Done.")]);
  const types = [];

  const { finishReason, messages } = await runTurn({
    provider,
    messages: [{ role: "user", id: "1", content: "Hi" }],
    tools: [echoTool()],
    dispatch: {},
    emit: (event) => types.push(event.type),
    conversationId: "smoke",
    turnId: "first",
  });

  assert.equal(finishReason, "stop");
  assert.deepEqual(
    messages.map((message) => message.role),
    ["assistant", "tool", "assistant"],
  );
  assert.equal(types.at(-1), "turn_end");
});

test("the capstan command is linked", () => {
  const commands = readdirSync(join(modules, ".bin"));

  assert.ok(commands.some((file) => file.startsWith("capstan")));
});

test("the capstan command looks around and says that no model is connected", () => {
  const command = join(modules, "capstan", "bin", "capstan.js");

  const { status, stdout } = spawnSync(process.execPath, [command, "What is in this folder?"], {
    cwd: import.meta.dirname,
    encoding: "utf8",
  });

  assert.equal(status, 0);
  assert.match(stdout, /No language model is connected/);
  assert.match(stdout, /smoke\.mjs/);
});

test("the capstan command says its version", () => {
  const command = join(modules, "capstan", "bin", "capstan.js");

  const { status, stdout } = spawnSync(process.execPath, [command, "--version"], {
    encoding: "utf8",
  });

  assert.equal(status, 0);
  assert.match(stdout, /\b0\.\d+\.\d+\b/);
});
