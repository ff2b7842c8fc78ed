import type { JsonValue, ProviderPart } from "@capstan/kernel";
import { expect, test } from "vitest";
import { openAiResponses } from "../../src/protocols/openai-responses/openai-responses.ts";
import { gptTarget } from "./requests.ts";

const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "list", arguments: "" };
const added = { type: "response.output_item.added", output_index: 0, item: call };

function ended(fields: { readonly [field: string]: JsonValue }): JsonValue {
  return { type: "response.completed", response: { id: "resp_1", output: [], ...fields } };
}

function decode(...events: readonly JsonValue[]): ProviderPart[] {
  const decoder = openAiResponses.decoder(gptTarget("gpt-5.5"));
  const parts: ProviderPart[] = [];
  for (const data of events.map((event) => JSON.stringify(event))) {
    decoder.take({ event: "", data, id: "", isBare: false }, parts);
  }
  decoder.end(parts);
  return parts;
}

test("a reply that is called complete while a call of it is open is an error of the protocol", () => {
  expect(() => decode(added, ended({ status: "completed" }))).toThrow(
    expect.objectContaining({ code: "protocol" }),
  );
});

test("a call that is open when the token limit ends the reply is no call", () => {
  const details = { reason: "max_output_tokens" };

  const parts = decode(added, ended({ status: "incomplete", incomplete_details: details }));

  expect(parts.filter(({ type }) => type === "toolcall_end")).toEqual([]);
  expect(parts.at(-1)).toMatchObject({ type: "finish", reason: "length" });
});
