import { join } from "node:path";
import { expect, test } from "vitest";
import { projectFile, surroundings, textsOf, userFile } from "./surroundings.ts";

test("without any file everything has a default", async () => {
  const { load, folders, project } = await surroundings();

  const { settings, files, notes, isTrusted, projectFolder } = await load();

  expect(settings).toEqual({
    maxSteps: 200,
    retry: {
      maxAttempts: 100,
      maxTotalMs: 600_000,
      baseDelayMs: 1_000,
      maxDelayMs: 60_000,
      maxRetryAfterMs: 600_000,
    },
    deadlines: {},
    lookMs: 200,
    planning: { maxContinuations: 3 },
    permissions: { allow: [], ask: [], deny: [] },
    roots: [],
    tools: { fetch: false, bash: {} },
    providers: {},
    mcp: { servers: {} },
    store: join(folders.dataFolder, "sessions.db"),
  });
  expect(files).toEqual([
    { path: folders.configFile, role: "user", state: "absent" },
    { path: join(project, "capstan.json"), role: "project", state: "absent" },
  ]);
  expect({ notes, isTrusted, projectFolder }).toEqual({
    notes: [],
    isTrusted: false,
    projectFolder: project,
  });
});

test("the project's file goes before the user's, variables before both, flags before all", async () => {
  const { load } = await surroundings({
    [userFile]: { model: "anthropic/user", thinking: "low", maxCost: 1, maxSteps: 10 },
    [projectFile]: { model: "anthropic/project", thinking: "medium", maxCost: 2, maxSteps: 20 },
  });
  const env = {
    CAPSTAN_MODEL: "anthropic/variable",
    CAPSTAN_THINKING: "high",
    CAPSTAN_MAX_COST: "3",
  };
  const flags = { model: "anthropic/flag", thinking: "max" };

  const files = await load({ trust: true });
  const withEnv = await load({ env });
  const withFlags = await load({ env, flags });

  expect(files.settings).toMatchObject({
    model: "anthropic/project",
    thinking: "medium",
    maxCost: 2,
    maxSteps: 20,
  });
  expect(withEnv.settings).toMatchObject({
    model: "anthropic/variable",
    thinking: "high",
    maxCost: 3,
    maxSteps: 20,
  });
  expect(withFlags.settings).toMatchObject({
    model: "anthropic/flag",
    thinking: "max",
    maxCost: 3,
  });
});

test("rules of all layers add up", async () => {
  const { load } = await surroundings({
    [userFile]: { permissions: { allow: ["edit"], deny: ["bash(rm *)"] } },
    [projectFile]: { permissions: { allow: ["write"], ask: ["read(.env)"], deny: ["fetch"] } },
  });

  const { settings } = await load({ trust: true, flags: { allow: ["bash(npm test)"] } });

  const { allow, ask, deny } = settings.permissions;
  expect(textsOf(allow)).toEqual(["edit", "write", "bash(npm test)"]);
  expect(textsOf(ask)).toEqual(["read(.env)"]);
  expect(textsOf(deny)).toEqual(["bash(rm *)", "fetch"]);
});

test("objects merge by key, and lists other than rules are replaced", async () => {
  const models = [{ id: "small", contextWindow: 8000 }];
  const { load, write, project } = await surroundings({
    [userFile]: {
      tools: { fetch: true, bash: { timeoutMs: 5 } },
      planning: { maxContinuations: 1 },
      roots: ["../../other"],
      providers: {
        openai: { baseUrl: "http://proxy.test/v1", headers: { a: "1", b: "1" }, models },
        mine: { protocol: "openai-chat" },
      },
    },
    [projectFile]: {
      tools: { fetch: false },
      roots: ["sub"],
      providers: {
        openai: { keyVariable: "MY_KEY", headers: { b: "2" } },
        mine: { baseUrl: "http://127.0.0.1:1/v1" },
      },
    },
  });
  await write("project/sub/x", "");

  const { settings } = await load({ trust: true });

  expect(settings).toMatchObject({
    tools: { fetch: false, bash: { timeoutMs: 5 } },
    planning: { maxContinuations: 1 },
    roots: [join(project, "sub")],
    providers: {
      openai: {
        baseUrl: "http://proxy.test/v1",
        keyVariable: "MY_KEY",
        headers: { a: "1", b: "2" },
        models,
      },
      mine: { protocol: "openai-chat", baseUrl: "http://127.0.0.1:1/v1" },
    },
  });
});

test("paths begin in the folder of their file, and that of a variable in the working folder", async () => {
  const { load, write, root } = await surroundings({
    [userFile]: { store: "mine.db", roots: ["../shared", "gone"] },
  });
  await write("home/.config/shared/x", "");

  const ofFile = await load();
  const ofVariable = await load({ env: { CAPSTAN_STORE: "here.db" } });

  expect(ofFile.settings.store).toBe(join(root, "home/.config/capstan/mine.db"));
  expect(ofFile.settings.roots).toEqual([join(root, "home/.config/shared")]);
  expect(ofFile.notes).toEqual([
    `roots: ${join(root, "home/.config/capstan/gone")} is not a folder: ignored.`,
  ]);
  expect(ofVariable.settings.store).toBe(join(root, "project/here.db"));
});

test("files may have comments, trailing commas and a byte order mark", async () => {
  const text = '\ufeff{\n  // mine\n  "model": "fast", /* for now */\n  "roots": [],\n}\n';
  const { load } = await surroundings({ [userFile]: text });

  const { settings } = await load();

  expect(settings.model).toBe("fast");
});

test("a project begins where the nearest .git or capstan.json is, else in the working folder", async () => {
  const { load, root } = await surroundings({
    "project/deep/down/x": "",
    "project/inner/capstan.json": {},
    "project/inner/below/x": "",
    "elsewhere/x": "",
  });

  const folders = await Promise.all(
    ["project/deep/down", "project/inner/below", "elsewhere"].map((cwd) => load({ cwd })),
  );

  expect(folders.map(({ projectFolder }) => projectFolder)).toEqual(
    ["project", "project/inner", "elsewhere"].map((path) => join(root, path)),
  );
});

test("a file that the user names as their own is not the project's a second time", async () => {
  const { load, folders, project } = await surroundings({
    [projectFile]: { permissions: { allow: ["edit"] } },
  });
  const own = { ...folders, configFile: join(project, "capstan.json") };

  const { settings, notes } = await load({ folders: own });

  expect(textsOf(settings.permissions.allow)).toEqual(["edit"]);
  expect(notes).toEqual([]);
});

test("the sandbox of the user holds, and its paths begin in the folder of their file", async () => {
  const { load, root } = await surroundings({
    [userFile]: {
      tools: { bash: { sandbox: "strict", writable: ["../cache"], passEnv: ["A_TOKEN"] } },
    },
    [projectFile]: { tools: { bash: { sandbox: "off", passEnv: ["B_TOKEN"] } } },
  });

  const untrusted = (await load({})).settings.tools.bash;
  const trusted = (await load({ trust: true })).settings.tools.bash;

  expect(untrusted).toEqual({
    sandbox: "strict",
    writable: [expect.stringMatching(/\/cache$/)],
    passEnv: ["A_TOKEN"],
  });
  expect(untrusted.writable?.[0]?.startsWith(root)).toBe(true);
  expect(trusted).toMatchObject({ sandbox: "off", passEnv: ["B_TOKEN"] });
});

test("a network without a sandbox is an error, as nothing would limit it", async () => {
  const { load } = await surroundings({ [userFile]: { tools: { bash: { network: "none" } } } });

  await expect(load({})).rejects.toThrow(/tools\.bash\.network is a limit of the sandbox/);
});
