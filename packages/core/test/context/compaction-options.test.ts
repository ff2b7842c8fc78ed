import { AgentError, createAgent, createModelRegistry } from "@capstan/core";
import type { CompactionOptions } from "@capstan/core";
import type { ProviderContract } from "@capstan/kernel";
import { say, scriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";
import { planCompaction } from "../../src/compaction/compaction-options.ts";
import { createWorld } from "../world.ts";

/** One that does not say how much fits. */
function vague(id = "local"): ProviderContract {
  const { stream } = scriptedProvider([say("Hello")]);
  return { id, stream };
}

test("an agent that says how to compact by an unknown context window is refused, with what to do", () => {
  const model = { provider: vague(), id: "m1" };

  expect(() => createAgent({ model, compaction: {} })).toThrow(AgentError);
  expect(() => createAgent({ model, compaction: { thresholdRatio: 0.5 } })).toThrow(
    /"local\/m1".*contextWindow.*auto: false/,
  );
});

test.each<[what: string, make: () => unknown]>([
  ["compaction is left at its default", () => createAgent({ model: vague() })],
  [
    "the provider states it",
    () => createAgent({ model: { ...vague(), contextWindow: 8_000 }, compaction: {} }),
  ],
  [
    "the model states it",
    () =>
      createAgent({
        model: { provider: vague(), id: "m", facts: { contextWindow: 8_000 } },
        compaction: {},
      }),
  ],
  [
    "the vendor is in the snapshot",
    () => createAgent({ model: { provider: vague("openai"), id: "gpt-5" }, compaction: {} }),
  ],
  [
    "a registry may know it",
    () => createAgent({ model: vague(), registry: createModelRegistry(), compaction: {} }),
  ],
  ["it is found by its name", () => createAgent({ model: "fast", compaction: {} })],
  ["nothing happens by itself", () => createAgent({ model: vague(), compaction: { auto: false } })],
  ["it is switched off", () => createAgent({ model: vague(), compaction: false })],
])("an agent is made where %s", (_, make) => {
  expect(make).not.toThrow();
});

test("a model that is found later fails the turn, of a session and of an agent alone", async () => {
  const world = createWorld([], [], {
    model: "fast",
    compaction: {},
    resolveModel: () => ({ provider: vague(), id: "m1" }),
  });
  const session = world.host().createSession({ agent: "helper" });

  const response = await session.send("Hello").response;

  expect(response).toMatchObject({ status: "error", error: { code: "unknown_window" } });
  await expect(world.agent.run("Hello")).rejects.toMatchObject({
    turnError: { code: "unknown_window" },
  });
});

test.each<[options: CompactionOptions, name: string]>([
  [{ thresholdRatio: 0 }, "thresholdRatio"],
  [{ thresholdRatio: 1.2 }, "thresholdRatio"],
  [{ reserveTokens: -1 }, "reserveTokens"],
  [{ reserveTokens: 128_000 }, "reserveTokens"],
  [{ keepRecentSteps: 1.5 }, "keepRecentSteps"],
  [{ minFreedShare: 1 }, "minFreedShare"],
  [{ minFreedShare: Number.NaN }, "minFreedShare"],
])("%o cannot be meant", (compaction, name) => {
  const model = scriptedProvider([]);

  expect(() => createAgent({ model, compaction })).toThrow(
    expect.objectContaining({ code: "invalid_compaction", message: expect.stringContaining(name) }),
  );
});

test.each<[what: string, options: CompactionOptions, maxOutputTokens: number, threshold: number]>([
  ["at 0.8 of the window", {}, 10_000, 80_000],
  ["where it is told to", { thresholdRatio: 0.5 }, 10_000, 50_000],
  ["before the reserve", { reserveTokens: 30_000 }, 10_000, 70_000],
  ["before what a reply may have", {}, 25_000, 75_000],
  ["before a reply of ordinary length", {}, 45_000, 68_000],
  ["at the ratio, where a reply could have nearly everything", {}, 90_000, 80_000],
  ["never by itself", { auto: false }, 10_000, Infinity],
])("a context is too full %s", (_, options, maxOutputTokens, threshold) => {
  const facts = { contextWindow: 100_000, maxOutputTokens };

  const plan = planCompaction(options, { provider: vague(), id: "m", facts }, undefined);

  expect(plan?.threshold).toBe(threshold);
});
