import type { AgentInit, HostOptions } from "@capstan/core";
import { createAgent, createHost } from "@capstan/core";
import { memoryRepository } from "@capstan/log";
import { say, scriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";

const model = scriptedProvider([say("Hello")]);

test.each([
  ["retry.maxAttempts", { retry: { maxAttempts: NaN } }, "a whole number above 0"],
  ["retry.maxAttempts", { retry: { maxAttempts: 0 } }, "a whole number above 0"],
  ["maxSteps", { maxSteps: "many" }, "a whole number"],
  ["maxSteps", { maxSteps: -1 }, "a whole number"],
  ["deadlines.toolMs", { deadlines: { toolMs: null } }, "above 0"],
  ["deadlines.turnMs", { deadlines: { turnMs: NaN } }, "above 0"],
  ["deadlines.turnMs", { deadlines: { turnMs: 0 } }, "above 0"],
  ["limits.replyCalls", { limits: { replyCalls: 1.5 } }, "a whole number above 0"],
  ["budgets.tokens", { budgets: { tokens: NaN } }, "0 or more"],
  ["budgets.tokens", { budgets: { tokens: -1 } }, "0 or more"],
  ["dispatch.maxParallel", { dispatch: { maxParallel: 0 } }, "a whole number above 0"],
])("an agent whose %s is no limit is refused, and told why", (name, options, rule) => {
  // The types do not allow it; code without them does.
  const init = { model, ...options } as AgentInit;

  expect(() => createAgent(init)).toThrow(
    expect.objectContaining({
      name: "AgentError",
      code: "invalid_option",
      message: expect.stringContaining(`${name} must be ${rule}, or Infinity, not `),
    }),
  );
});

test.each([
  ["leaseMs", { leaseMs: NaN }],
  ["pollMs", { pollMs: null }],
])("a host whose %s is no time is refused", (name, options) => {
  const given = { agents: [], repository: memoryRepository(), ...options } as HostOptions;

  expect(() => createHost(given)).toThrow(
    expect.objectContaining({
      code: "invalid_input",
      message: expect.stringContaining(`${name} must be above 0`),
    }),
  );
});

test("every limit of an agent may be Infinity", async () => {
  const agent = createAgent({
    model,
    maxSteps: Infinity,
    retry: { maxAttempts: Infinity, maxDelayMs: Infinity },
    deadlines: {
      firstPartMs: Infinity,
      betweenPartsMs: Infinity,
      contentMs: Infinity,
      attemptMs: Infinity,
      turnMs: Infinity,
      toolMs: Infinity,
      callbackMs: Infinity,
    },
    limits: { replyChars: Infinity, replyCalls: Infinity, pauses: Infinity },
  });

  expect(await agent.run("Hi")).toBe("Hello");
});

test.each([
  ["maxSteps", { maxSteps: 0 }],
  ["limits.pauses", { limits: { pauses: 0 } }],
  ["limits.liveOutputChars", { limits: { liveOutputChars: 0 } }],
  ["budgets.tokens", { budgets: { tokens: 0 } }],
  ["retry.baseDelayMs", { retry: { baseDelayMs: 0 } }],
])("%s may be 0", (_, options) => {
  expect(() => createAgent({ model, ...options })).not.toThrow();
});
