/** Rules that several processes write to one file at the same moment. */
import { readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readSessionRules } from "../../src/config/session-rules.ts";
import type { RuleTarget } from "../../src/config/write-rule.ts";
import { surroundings } from "./surroundings.ts";
import { waitingProcess } from "./waiting-process.ts";

const fixture = fileURLToPath(new URL("./fixtures/write-rules.ts", import.meta.url));

type Surroundings = Awaited<ReturnType<typeof surroundings>>;

const names = ["one", "two", "three"];
const rulesOf = (name: string): readonly string[] =>
  Array.from({ length: 20 }, (_, index) => `bash(make ${name}${index})`);
const all = names.flatMap(rulesOf).toSorted();

async function writeInProcesses({ folders }: Surroundings, target: RuleTarget) {
  const processes = await Promise.all(
    names.map((name) => waitingProcess(fixture, { rules: rulesOf(name), target, folders })),
  );
  return Promise.all(processes.map(({ start }) => start()));
}

test("the user's file has the rules of all, and nothing is left beside it", async () => {
  const here = await surroundings({
    "home/.config/capstan/config.json": '{ // mine\n "maxSteps": 7 }\n',
  });

  const problems = await writeInProcesses(here, { layer: "user" });

  const { settings } = await here.load();
  expect(problems).toEqual([[], [], []]);
  expect(settings.permissions.allow.map(({ text }) => text).toSorted()).toEqual(all);
  expect(settings.maxSteps).toBe(7);
  expect(await readdir(dirname(here.folders.configFile))).toEqual(["config.json"]);
});

test("the project's file has the rules of all, and stays trusted", async () => {
  const here = await surroundings();

  const problems = await writeInProcesses(here, { layer: "project", projectFolder: here.project });

  const { settings, isTrusted } = await here.load();
  expect(problems).toEqual([[], [], []]);
  expect(isTrusted).toBe(true);
  expect(settings.permissions.allow.map(({ text }) => text).toSorted()).toEqual(all);
});

test("the rules of a session are those of all", async () => {
  const here = await surroundings();

  const problems = await writeInProcesses(here, { layer: "session", sessionId: "s1" });

  const { allow } = readSessionRules(here.folders.dataFolder, "s1");
  expect(problems).toEqual([[], [], []]);
  expect(allow.map(({ text }) => text).toSorted()).toEqual(all);
});
