import { expect, test } from "vitest";
import type { ModelsRequest } from "../src/command-line/request.ts";
import { runModels } from "../src/commands/models.ts";
import type { Env } from "../src/config/env.ts";
import type { Settings } from "../src/config/settings.ts";
import { memoryIo } from "./memory-io.ts";
import { configWith, noServers } from "./model/settings.ts";
import { ollamaServer } from "./model/local-server.ts";

const asked: ModelsRequest = {
  type: "models",
  cwd: undefined,
  flags: {},
  isTrusting: false,
  isOffline: false,
  isJson: false,
  isAll: false,
  filter: "",
};

async function list(request: Partial<ModelsRequest>, env: Env, settings: Partial<Settings> = {}) {
  const io = memoryIo({ env: { ...noServers, ...env } });
  const exitCode = await runModels(io, { ...asked, ...request }, configWith(settings));
  return { exitCode, lines: io.stdoutText().split("\n"), stderr: io.stderrText() };
}

test("models that there is a key for are listed with their windows and prices", async () => {
  const { exitCode, lines } = await list({ filter: "claude opus-5" }, { ANTHROPIC_API_KEY: "k" });

  expect(exitCode).toBe(0);
  expect(lines[0]).toMatch(/^MODEL +CONTEXT +INPUT \$\/M +OUTPUT \$\/M$/);
  expect(lines).toContainEqual(
    expect.stringMatching(/^anthropic\/claude-opus-5 +1,000,000 +5\.00 +25\.00$/),
  );
  expect(lines.slice(1, -1).filter((line) => !line.startsWith("anthropic/claude-opus-5"))).toEqual(
    [],
  );
});

test("models of servers on this machine are among them, and of the configuration", async () => {
  const { url } = await ollamaServer([{ name: "qwen3:8b", loadedWith: 4_096 }, { name: "b" }]);
  const models = [{ id: "b", contextWindow: 8_000 }];

  const { lines } = await list({}, { OLLAMA_BASE_URL: url }, { providers: { ollama: { models } } });

  expect(lines.slice(1)).toEqual([
    expect.stringMatching(/^ollama\/b +8,000 +- +-$/),
    expect.stringMatching(/^ollama\/qwen3:8b +4,096 +- +-$/),
    "",
  ]);
});

test("--all also lists those without a key, and what they need", async () => {
  const { lines } = await list({ isAll: true, filter: "opus-5" }, { OPENROUTER_API_KEY: "k" });

  expect(lines).toContainEqual(
    expect.stringMatching(/^anthropic\/claude-opus-5 .* ANTHROPIC_API_KEY$/),
  );
  expect(lines).toContainEqual(expect.stringMatching(/^openrouter\/.* \d+\.\d\d$/));
});

test("--json is a line for each, without a key in it", async () => {
  const { lines } = await list(
    { isJson: true, filter: "claude-opus-5" },
    { ANTHROPIC_API_KEY: "sk-secret-123" },
  );
  const models = lines.filter(Boolean).map((line) => JSON.parse(line));

  expect(models[0]).toMatchObject({
    name: "anthropic/claude-opus-5",
    contextWindow: 1_000_000,
    price: { inputPerMillion: 5, outputPerMillion: 25 },
  });
  expect(lines.join()).not.toContain("sk-secret-123");
});

test("where there is none, stderr says what to do", async () => {
  const nothing = await list({}, {});
  const filtered = await list({ isAll: true, filter: "no-such-model" }, {});

  expect(nothing).toMatchObject({ exitCode: 0, lines: [""] });
  expect(nothing.stderr).toMatch(/^capstan: no key or server for any model: --all lists/);
  expect(filtered.stderr).toMatch(
    /^capstan: none of the \d+ models has "no-such-model" in its name\n$/,
  );
});

test("offline no server is asked", async () => {
  const server = await ollamaServer([{ name: "a", loadedWith: 4_096 }]);

  const { lines } = await list({ isOffline: true }, { OLLAMA_BASE_URL: server.url });

  expect(lines).toEqual([""]);
  expect(server.requests).toEqual([]);
});
