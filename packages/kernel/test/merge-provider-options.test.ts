import { mergeProviderOptions } from "@capstan/kernel";
import { expect, test } from "vitest";

test("a later layer goes before an earlier one, field by field", () => {
  const model = { openai: { text: { verbosity: "low", format: { type: "text" } }, seed: 1 } };
  const agent = { openai: { text: { verbosity: "high" } }, anthropic: { inference_geo: "eu" } };
  const turn = { openai: { seed: null, tools: [{ type: "web_search" }] } };

  expect(mergeProviderOptions(model, undefined, agent, turn)).toEqual({
    openai: {
      text: { verbosity: "high", format: { type: "text" } },
      seed: null,
      tools: [{ type: "web_search" }],
    },
    anthropic: { inference_geo: "eu" },
  });
  expect(model.openai.text.verbosity).toBe("low");
});

test("a list replaces another, and undefined leaves what is there", () => {
  const earlier = { house: { safetySettings: [{ a: 1 }], labels: { team: "a" } } };
  const later = { house: { safetySettings: [], labels: undefined } };

  expect(mergeProviderOptions(earlier, later)).toEqual({
    house: { safetySettings: [], labels: { team: "a" } },
  });
});

test("a field with the name of the prototype is a field like any other", () => {
  const hostile = JSON.parse('{"openai":{"__proto__":{"polluted":true}}}') as object;

  const merged = mergeProviderOptions({ openai: { a: 1 } }, hostile as Record<string, never>);

  expect(JSON.stringify(merged)).toBe('{"openai":{"a":1,"__proto__":{"polluted":true}}}');
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});

test("without options there are none", () => {
  expect(mergeProviderOptions(undefined, undefined)).toBeUndefined();
});
