import { expect, test } from "vitest";
import type { TargetOrigin } from "../src/wire/protocol.ts";
import { readableOf } from "../src/projection/readable-origins.ts";

const at = (api: string, model: string, provider = api): TargetOrigin => ({
  provider,
  api,
  model,
});
const claude = (model: string): TargetOrigin => at("anthropic-messages", model);

test.each(["anthropic-messages", "openai-responses", "openai-chat", "google-generate"])(
  "a model of %s reads what it has made itself, and nobody else of another protocol does",
  (api) => {
    const own = at(api, "m-1");

    expect(readableOf(own, own)).toEqual({ native: true, thinking: true });
    expect(readableOf(own, at("some-other", "m-1"))).toEqual({ native: false, thinking: false });
    expect(readableOf(own, at(api, "m-1", "elsewhere"))).toEqual({
      native: false,
      thinking: false,
    });
    expect(readableOf(undefined, own)).toEqual({ native: false, thinking: false });
    expect(readableOf({ provider: api }, own)).toEqual({ native: false, thinking: false });
  },
);

test.each([
  ["anthropic-messages", true],
  ["openai-responses", true],
  ["openai-chat", false],
  ["google-generate", false],
])("another model of %s reads native parts: %s; thinking it does not", (api, native) => {
  expect(readableOf(at(api, "m-1"), at(api, "m-2"))).toEqual({ native, thinking: false });
});

test.each([
  ["claude-sonnet-4-5", "claude-sonnet-4-5-20250929"],
  ["claude-sonnet-4-0", "claude-sonnet-4-20250514"],
  ["claude-3-7-sonnet-latest", "claude-3-7-sonnet-20250219"],
])("%s and %s are one model", (one, other) => {
  expect(readableOf(claude(one), claude(other)).thinking).toBe(true);
});

test.each([
  ["claude-opus-5", "claude-fable-5-1", true],
  ["claude-opus-5-5", "claude-fable-5-1", true],
  ["claude-fable-5-1", "claude-mythos-5-1", true],
  ["claude-fable-5-1", "claude-opus-5-5", false],
  ["claude-opus-5", "claude-opus-5-5", true],
  ["claude-opus-5-5", "claude-opus-5", false],
  ["claude-sonnet-5", "claude-sonnet-5-5", true],
  ["claude-opus-5", "claude-sonnet-5-5", false],
  ["claude-opus-4-6", "claude-sonnet-4-6", false],
])("thinking of %s is readable by %s: %s", (from, to, wanted) => {
  expect(readableOf(claude(from), claude(to)).thinking).toBe(wanted);
});

test.each(["anthropic-messages", "openai-responses", "openai-chat", "google-generate"])(
  "a reply of %s is read at the host that made it, and one of an unknown host anywhere",
  (api) => {
    const all = { native: true, thinking: true };
    const here = { ...at(api, "m-1"), host: "here.example" };

    expect(readableOf(here, here)).toEqual(all);
    expect(readableOf({ ...here, host: "there.example" }, here)).toEqual({
      native: false,
      thinking: false,
    });
    expect(readableOf(at(api, "m-1"), here)).toEqual(all);
  },
);
