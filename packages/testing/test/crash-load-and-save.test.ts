import { fromLoadAndSave } from "@capstan/log";
import type { CreateStore } from "@capstan/testing/crash";
import { crashScenarios, exploreCrashes } from "@capstan/testing/crash";
import { expect, test } from "vitest";
import { savedTexts } from "../../log/test/saved-texts.ts";

const createStore: CreateStore = (options) => fromLoadAndSave(savedTexts(), options);
const names = ["parallel tools", "steering"];
const scenarios = crashScenarios.filter(({ name }) => names.includes(name));

test.each(scenarios)("$name, on a storage that can load and save", async (scenario) => {
  const { failures, points } = await exploreCrashes(scenario, { createStore, modes: ["async"] });

  expect(failures).toEqual([]);
  expect(points).toBeGreaterThan(50);
});
