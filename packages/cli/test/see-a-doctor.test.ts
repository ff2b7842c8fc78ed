import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createAgent, createSession } from "@capstan/core";
import { offlineProvider } from "@capstan/providers/offline";
import { checkSandbox } from "@capstan/toolset";
import { sqlite } from "@capstan/stores/sqlite";
import { expect, test } from "vitest";
import { runDoctor } from "../src/commands/doctor.ts";
import type { Env } from "../src/config/env.ts";
import type { LoadedConfig } from "../src/config/load-config.ts";
import type { Settings } from "../src/config/settings.ts";
import type { Check } from "../src/doctor/check.ts";
import { checkVersions, neededNode } from "../src/doctor/check-versions.ts";
import { version } from "../src/command-line/version.ts";
import { run } from "../src/process/run.ts";
import { memoryIo, temporaryFolder } from "./memory-io.ts";
import { ollamaServer, serve } from "./model/local-server.ts";
import { configWith, noServers } from "./model/settings.ts";

interface Patient {
  readonly env?: Env;
  readonly settings?: Partial<Settings>;
  readonly config?: Partial<LoadedConfig>;
  readonly isJson?: boolean;
  readonly isOffline?: boolean;
}

async function see({ env, settings, config, isJson = true, isOffline = false }: Patient) {
  const store = settings?.store ?? join(await temporaryFolder(), "data", "sessions.db");
  const { PATH } = process.env;
  const io = memoryIo({ env: { PATH, ...noServers, ...env } });
  const request = { type: "doctor", cwd: undefined, flags: {}, isTrusting: false } as const;
  const exitCode = await runDoctor(
    io,
    { ...request, isJson, isOffline },
    configWith({ ...settings, store }, config),
  );
  const text = io.stdoutText();
  const checks = isJson
    ? text
        .split("\n")
        .filter(Boolean)
        .map((line): Check => JSON.parse(line))
    : [];
  return { exitCode, text, find: (name: string) => checks.find((check) => check.name === name) };
}

test("everything is looked at, in lines for people, with what to do", async () => {
  const { exitCode, text } = await see({ env: { ANTHROPIC_API_KEY: "sk-secret" }, isJson: false });

  expect(exitCode).toBe(0);
  expect(text).toMatch(/^ok    capstan: \d+\.\d+\.\d+\nok    node: v\d+/);
  expect(text).toContain("ok    key of Anthropic: ANTHROPIC_API_KEY is set\n");
  expect(text).toContain("ok    Ollama: not running at http://127.0.0.1:1\n");
  expect(text).toMatch(/ok    model: anthropic\/\S+, because ANTHROPIC_API_KEY is set\n/);
  expect(text).toMatch(/ok    ripgrep: ripgrep \d+/);
  expect(text).toMatch(/ok    bash: GNU bash/);
  expect(text).not.toContain("sk-secret");
});

test("the sandbox is looked at: whether it works here, and what commands do not get", async () => {
  const problem = await checkSandbox({ mode: "strict" });
  const off = await see({ env: { WORKSHOP_AUTH: "x", PGPASSWORD: "x", LANG: "C" } });
  const on = await see({ settings: { tools: { fetch: false, bash: { sandbox: "strict" } } } });
  const hosts = await see({
    settings: { tools: { fetch: false, bash: { sandbox: "write", network: ["example.org"] } } },
  });
  const passing = await see({
    env: { WORKSHOP_AUTH: "x", PGPASSWORD: "x" },
    settings: {
      tools: { fetch: false, bash: { passEnv: ["PGPASSWORD"] } },
      providers: {
        workshop: {
          protocol: "openai-chat",
          baseUrl: "http://x.test",
          keyVariable: "WORKSHOP_AUTH",
        },
      },
    },
  });

  expect(off.find("sandbox")).toMatchObject({ state: "ok", text: expect.stringContaining("off") });
  expect(off.find("environment")?.text).toBe("not passed to commands: PGPASSWORD");
  expect(on.find("sandbox")?.state).toBe(problem === undefined ? "ok" : "fail");
  expect(on.exitCode).toBe(problem === undefined ? 0 : 1);
  expect(hosts.find("sandbox")).toMatchObject({ state: "fail" });
  expect(passing.find("environment")?.text).toBe(
    "not passed to commands: WORKSHOP_AUTH; passed by tools.bash.passEnv: PGPASSWORD",
  );
});

test("without a model there is a warning and advice, and nothing fails", async () => {
  const { exitCode, find, text } = await see({});

  expect(exitCode).toBe(0);
  expect(find("model")).toMatchObject({ state: "warn", advice: expect.stringContaining("key") });
  expect(find("keys")?.text).toMatch(/^not set: ANTHROPIC_API_KEY, .+, XAI_API_KEY$/);
  expect((await see({ isJson: false })).text).toContain(
    "\n      → set a key, or start a local server",
  );
  expect(text).not.toContain("undefined");
});

test("a key that cannot be one fails, and is not shown", async () => {
  const { exitCode, find, text } = await see({ env: { OPENAI_API_KEY: "sk-one sk-two" } });

  expect(exitCode).toBe(1);
  expect(find("key of OpenAI")).toMatchObject({ state: "fail" });
  expect(text).not.toContain("sk-one");
});

test("a configured model that is not available fails", async () => {
  const { exitCode, find } = await see({ settings: { model: "anthropic/claude-opus-5" } });

  expect(exitCode).toBe(1);
  expect(find("model")).toMatchObject({
    state: "fail",
    text: expect.stringContaining("set ANTHROPIC_API_KEY"),
  });
});

test("servers on this machine are found, with what they have", async () => {
  const ollama = await ollamaServer([{ name: "qwen3:8b", loadedWith: 4_096 }, { name: "b" }]);
  const page = await serve((_, response) => void response.end("<html>"));
  const env = { OLLAMA_BASE_URL: ollama.url, LLAMACPP_BASE_URL: page.url };

  const { find } = await see({ env });
  const offline = await see({ env, isOffline: true });

  expect(find("Ollama")).toEqual({
    name: "Ollama",
    state: "ok",
    text: `at ${ollama.url}: qwen3:8b (loaded), b`,
  });
  expect(find("llama.cpp")).toMatchObject({
    state: "warn",
    advice: expect.stringContaining("LLAMACPP_BASE_URL"),
  });
  expect(offline.find("Ollama")).toBeUndefined();
  expect(offline.find("model")).toMatchObject({ state: "ok" });
});

test("files of settings are named, and one that is not trusted", async () => {
  const { find } = await see({
    config: {
      files: [
        { path: "/home/me/config.json", role: "user", state: "absent" },
        { path: "/home/me/project/capstan.json", role: "project", state: "partly" },
      ],
      instructions: [{ path: "/home/me/project/AGENTS.md", text: "" }],
    },
  });

  const trusted = await see({
    config: {
      files: [{ path: "/home/me/project/capstan.json", role: "project", state: "read" }],
      isTrusted: true,
    },
  });

  expect(trusted.find("project settings")?.text).toBe("/home/me/project/capstan.json, trusted");
  expect(find("user settings")).toMatchObject({ state: "ok" });
  expect(find("project settings")).toMatchObject({
    state: "warn",
    advice: expect.stringContaining("--trust"),
  });
  expect(find("instructions")?.text).toBe("/home/me/project/AGENTS.md");
});

test("a store is described, and none is made", async () => {
  const folder = await temporaryFolder();
  const path = join(folder, "sessions.db");
  const before = await see({ settings: { store: path } });
  await using repository = sqlite(path);
  const session = createSession({ agent: createAgent({ model: offlineProvider() }), repository });
  await session.send("Hello").response;
  await session.close();

  const after = await see({ settings: { store: path } });

  expect(before.find("store")?.text).toBe(`${path} will be created with the first session`);
  expect(after.find("store")).toMatchObject({
    state: "ok",
    text: expect.stringMatching(/: 1 session, \d+\.\d MB, schema version \d+$/),
  });
});

test("a store that is none, or of another program, or a folder, fails", async () => {
  const folder = await temporaryFolder();
  const paths = ["text.db", "other.db", "folder"].map((name) => join(folder, name));
  await writeFile(paths[0]!, "not a database, but a text that is long enough to be read as one");
  using database = new DatabaseSync(paths[1]!);
  database.exec("CREATE TABLE mine (id)");
  await mkdir(paths[2]!);

  const seen = await Promise.all(paths.map((store) => see({ settings: { store } })));

  expect(seen.map(({ exitCode }) => exitCode)).toEqual([1, 1, 1]);
  expect(seen.map(({ find }) => find("store")?.state)).toEqual(["fail", "fail", "fail"]);
});

test("a store that may not be written fails", async ({ skip }) => {
  skip(process.getuid?.() === 0, "root may write everywhere");
  const folder = await temporaryFolder();
  await chmod(folder, 0o500);

  const { find } = await see({ settings: { store: join(folder, "sessions.db") } });

  expect(find("store")).toMatchObject({ state: "fail", text: expect.stringContaining("EACCES") });
});

test("an old Node fails", () => {
  const versions = ["v20.11.0", "v22.17.9", "v22.18.0", "v24.0.0"];

  const checks = versions.map(checkVersions);

  expect(checks.map(([, node]) => node?.state)).toEqual(["fail", "fail", "ok", "ok"]);
});

test("the versions in the code are those of package.json", async () => {
  const path = new URL("../package.json", import.meta.url);

  const manifest = JSON.parse(await readFile(path, "utf8"));

  expect(manifest).toMatchObject({ version, engines: { node: `>=${neededNode}` } });
});

test("a broken configuration is among the findings, and everything else is still looked at", async () => {
  const { PATH } = process.env;
  const io = memoryIo({ env: { PATH, ...noServers } });
  await writeFile(join(io.cwd, "capstan.json"), '{ "thinkng": 1,\n "maxSteps": 0 }');

  const exitCode = await run(["doctor"], io);

  expect(exitCode).toBe(1);
  expect(io.stdoutText()).toMatch(/^fail {2}settings: .+capstan\.json:1:3: unknown key "thinkng"/m);
  expect(io.stdoutText()).toMatch(/^fail {2}settings: .+capstan\.json:2:\d+: maxSteps must be/m);
  expect(io.stdoutText()).toMatch(/^\w+ +store: /m);
});
