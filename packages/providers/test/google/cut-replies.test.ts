import type { JsonValue, ProviderPart } from "@capstan/kernel";
import { describe, expect, test } from "vitest";
import { googleGenerate } from "../../src/protocols/google-generate/google-generate.ts";
import { geminiTarget } from "./requests.ts";

const called = chunk([{ functionCall: { name: "read", args: { path: "a" } } }]);
const begun = chunk([{ functionCall: { name: "list", willContinue: true } }]);
const stop = { candidates: [{ finishReason: "STOP" }] };
const tooLong = { candidates: [{ finishReason: "MAX_TOKENS" }] };

function chunk(parts: readonly JsonValue[]): JsonValue {
  return { candidates: [{ content: { role: "model", parts } }] };
}

function decode(...chunks: readonly JsonValue[]): ProviderPart[] {
  const decoder = googleGenerate.decoder(geminiTarget("gemini-3.5-flash"));
  const parts: ProviderPart[] = [];
  for (const data of chunks.map((one) => JSON.stringify(one))) {
    decoder.take({ event: "", data, id: "", isBare: false }, parts);
  }
  decoder.end(parts);
  return parts;
}

describe("a reply that goes on after its finish reason", () => {
  test.each<[string, JsonValue]>([
    ["a text", chunk([{ text: "More" }])],
    ["a call", called],
    ["a call that has only begun", begun],
  ])("with %s is cut if it does not end again", (_, more) => {
    expect(() => decode(called, stop, more)).toThrow(
      expect.objectContaining({ code: "network", retryable: true }),
    );
  });

  test("and ends again is whole", () => {
    const parts = decode(called, stop, called, stop);

    expect(parts.filter(({ type }) => type === "toolcall_end")).toHaveLength(2);
    expect(parts.at(-1)).toMatchObject({ type: "finish", reason: "tool-calls" });
  });

  test("with a signature alone has ended", () => {
    const seal = chunk([{ text: "", thoughtSignature: "sealed" }]);

    const parts = decode(chunk([{ text: "Hi" }]), stop, seal);

    expect(parts.at(-1)).toMatchObject({ type: "finish", reason: "stop" });
  });
});

describe("a call whose arguments are under way", () => {
  test("when the reply stops is an error of the protocol", () => {
    expect(() => decode(begun, stop)).toThrow(expect.objectContaining({ code: "protocol" }));
  });

  test("when the token limit ends the reply is no call", () => {
    const parts = decode(begun, tooLong);

    expect(parts.filter(({ type }) => type === "toolcall_end")).toEqual([]);
    expect(parts.at(-1)).toMatchObject({ type: "finish", reason: "length" });
  });
});
