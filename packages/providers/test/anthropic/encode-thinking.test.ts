import type { ChatMessage, ProviderStreamOptions } from "@capstan/kernel";
import { expect, test } from "vitest";
import { anthropicMessages } from "../../src/protocols/anthropic-messages/anthropic-messages.ts";
import { requestOf } from "../request-of.ts";
import { bodyFor, claudeTarget, messagesFor, reply } from "./requests.ts";

const bound = { block_binding: { prefix_mismatch_behavior: "drop_block" } };
const seen = { display: "summarized" };

/** What a request says about thinking. */
function asked(model: string, options: ProviderStreamOptions): unknown {
  const { thinking, output_config: config } = bodyFor(model, { options });
  return [thinking, config?.effort];
}

test.each([
  // By budget.
  ["claude-3-5-haiku-20241022", "high", [undefined, undefined]],
  ["claude-sonnet-4-5", "minimal", [{ type: "enabled", budget_tokens: 1024 }, undefined]],
  ["claude-sonnet-4-5", "high", [{ type: "enabled", budget_tokens: 20_480 }, undefined]],
  ["claude-haiku-4-5-20251001", "off", [undefined, undefined]],
  // By effort.
  ["claude-opus-4-6", "high", [{ type: "adaptive" }, "high"]],
  ["claude-opus-4-6", "xhigh", [{ type: "adaptive" }, "high"]],
  ["claude-opus-4-6", "off", [undefined, undefined]],
  ["claude-opus-4-8", "minimal", [{ type: "adaptive", ...seen }, "low"]],
  ["claude-opus-5", "max", [{ type: "adaptive", ...seen }, "max"]],
  ["claude-opus-5", "off", [{ type: "disabled" }, undefined]],
  ["claude-opus-5-5", "xhigh", [{ type: "adaptive", ...seen, ...bound }, "xhigh"]],
  ["claude-opus-5-5", "off", [{ type: "adaptive", ...seen, ...bound }, "low"]],
  ["claude-sonnet-5-5", "off", [{ type: "between_tools" }, undefined]],
  ["claude-haiku-5-5", "off", [{ type: "disabled" }, undefined]],
  ["claude-fable-5-2", "low", [{ type: "adaptive", ...seen, ...bound }, "low"]],
  ["claude-novel-7", "medium", [{ type: "adaptive", ...seen, ...bound }, "medium"]],
  ["another-maker-2", "low", [{ type: "enabled", budget_tokens: 4096 }, undefined]],
] as const)("%s at level %s", (model, thinkingLevel, wanted) => {
  expect(asked(model, { thinkingLevel })).toEqual(wanted);
});

test.each([
  ["claude-sonnet-4-5", undefined],
  ["claude-opus-5", undefined],
  ["claude-opus-5-5", { type: "adaptive", ...bound }],
])("%s without a level thinks as it likes", (model, thinking) => {
  expect(asked(model, {})).toEqual([thinking, undefined]);
});

test("a budget of the caller wins where the model takes one", () => {
  const options = { thinkingLevel: "high", thinkingBudgets: { high: 5000 } } as const;

  expect(asked("claude-sonnet-4-5", options)).toEqual([
    { type: "enabled", budget_tokens: 5000 },
    undefined,
  ]);
  expect(asked("claude-opus-4-6", options)).toEqual([
    { type: "enabled", budget_tokens: 5000 },
    undefined,
  ]);
  expect(asked("claude-opus-5", options)).toEqual([{ type: "adaptive", ...seen }, "high"]);
});

test("what the registry knows of the model goes before what its name says", () => {
  const thinking = { high: "xhigh", off: null };

  expect(asked("claude-opus-5", { thinkingLevel: "high", modelFacts: { thinking } })).toEqual([
    { type: "adaptive", ...seen },
    "xhigh",
  ]);
  expect(
    asked("claude-opus-5", { thinkingLevel: "high", modelFacts: { thinking: false } }),
  ).toEqual([undefined, undefined]);
});

test("a budget leaves room for the answer, or there is no thinking", () => {
  const level = { thinkingLevel: "max" } as const;

  expect(asked("claude-sonnet-4-5", { ...level, maxTokens: 8000 })).toEqual([
    { type: "enabled", budget_tokens: 6976 },
    undefined,
  ]);
  expect(asked("claude-sonnet-4-5", { ...level, maxTokens: 2000 })).toEqual([undefined, undefined]);
});

test.each([
  ["claude-sonnet-4-5", {}, 0.5],
  ["claude-sonnet-4-5", { thinkingLevel: "low" }, undefined],
  ["claude-opus-4-6", {}, 0.5],
  ["claude-opus-4-7", {}, undefined],
  ["claude-sonnet-5", { thinkingLevel: "off" }, undefined],
] as const)("%s with %j takes a temperature, or not", (model, options, wanted) => {
  const body = bodyFor(model, { options: { ...options, temperature: 0.5 } });

  expect(body.temperature).toBe(wanted);
});

test.each([
  ["claude-sonnet-4-5", [{ type: "any" }, undefined]],
  ["claude-opus-5", [{ type: "any" }, { type: "disabled" }]],
  ["claude-opus-5-5", [undefined, { type: "adaptive", ...seen, ...bound }]],
])("%s that must call a tool does not think, or is left to choose", (model, wanted) => {
  const { tool_choice: choice, thinking } = bodyFor(model, {
    tools: [{ name: "add", description: "Adds", inputSchema: {} }],
    options: { toolChoice: "required", thinkingLevel: "high" },
  });

  expect([choice, thinking]).toEqual(wanted);
});

const thought = {
  type: "thinking" as const,
  thinking: "Hm",
  providerData: { signature: "sealed" },
};
const call = { type: "tool_call" as const, id: "c1", name: "add", input: {} };
const next = { ...call, id: "c2" };
const hi: ChatMessage = { role: "user", id: "u1", content: "Hi" };

test("a turn that began without thinking goes on without, where the vendor insists", () => {
  const options = { thinkingLevel: "high" } as const;
  const model = "claude-sonnet-4-5";

  const begun = bodyFor(model, { messages: [hi, reply([thought, call])], options });
  const later = bodyFor(model, { messages: [hi, reply([thought, call]), reply([next])], options });
  const switched = bodyFor(model, { messages: [hi, reply([call])], options });

  expect([begun, later, switched].map(({ thinking }) => thinking?.type)).toEqual([
    "enabled",
    "enabled",
    undefined,
  ]);
});

test("no thinking goes back where stale thinking could not be dropped", () => {
  const model = "claude-haiku-5-5";
  const messages = [hi, reply([thought, { type: "text", text: "Hi" }], { model }), hi];

  const off = messagesFor(model, { messages, options: { thinkingLevel: "off" } });
  const on = messagesFor(model, { messages });

  expect(JSON.stringify(off)).not.toContain("sealed");
  expect(JSON.stringify(on)).toContain("sealed");
});

test.each([
  ["claude-opus-5-5", {}, "thinking-binding-controls-2026-08-01"],
  ["claude-sonnet-4-5", { thinkingLevel: "high" }, "interleaved-thinking-2025-05-14"],
  ["claude-sonnet-4-5", {}, undefined],
] as const)("%s with %j needs its beta header", (model, options, beta) => {
  const { headers } = anthropicMessages.encode(requestOf({ options }), claudeTarget(model));

  expect(headers?.["anthropic-beta"]).toBe(beta);
});
