import type { RequestListener } from "node:http";
import type { ProviderPart } from "@capstan/kernel";
import { ProviderError } from "@capstan/kernel";
import { expect, test } from "vitest";
import { createProvider } from "../../src/transport/create-provider.ts";
import { requestOf } from "../request-of.ts";
import { answering, eventStream, serve, sse } from "../transport/test-vendor.ts";
import { anyServer } from "./requests.ts";

const first = call(0, "call_a", "read", '{"path":"a"}');
const second = call(1, "call_b", "list");
const stop = { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] };
const done = "data: [DONE]\n\n";
const freeText = { index: 0, id: "call_a", type: "custom", custom: { name: "patch", input: "x" } };

function call(index: number, id: string, name: string, args?: string) {
  const called = { name, ...(args !== undefined && { arguments: args }) };
  const toolCall = { index, id, type: "function", function: called };
  return { choices: [{ index: 0, delta: { tool_calls: [toolCall] }, finish_reason: null }] };
}

test("a server that says why it stopped after each of several calls makes all of them", async () => {
  const { calls, error } = await read(answering(sse(first, stop, second, stop) + done));

  expect(error).toBeUndefined();
  expect(calls).toEqual([undefined, {}]);
});

test.each<[string, RequestListener]>([
  ["ends", answering(sse(first, stop, second))],
  ["breaks", breaking(sse(first, stop, second))],
  ["is done", answering(sse(first, stop, second) + done)],
])("a call that begins after the finish reason is none if the stream %s then", async (_, body) => {
  const { calls, error } = await read(body);

  expect(calls).toEqual([]);
  expect(error).toMatchObject({ code: "network", retryable: true });
});

test.each<[string, string]>([
  ["without arguments", sse(call(0, "call_a", "list"))],
  ["with half its arguments", sse(call(0, "call_a", "read", '{"path":'))],
  ["of free text", sse({ choices: [{ delta: { tool_calls: [freeText] } }] })],
])("a call %s is none if the server is done and does not say why", async (_, body) => {
  const { calls, error } = await read(answering(body + done));

  expect(calls).toEqual([]);
  expect(error).toMatchObject({ code: "network", retryable: true });
});

test("a call with all its arguments is one if the server is done and does not say why", async () => {
  const { calls, error } = await read(answering(sse(first) + done));

  expect(error).toBeUndefined();
  expect(calls).toEqual([undefined]);
});

test("the last call of a reply that the token limit ended may be cut, though it looks whole", async () => {
  const tooLong = { choices: [{ index: 0, delta: {}, finish_reason: "length" }] };
  const other = call(1, "call_b", "read", '{"path":"b"}');

  const { calls, error } = await read(answering(sse(first, other, tooLong) + done));

  expect(error).toBeUndefined();
  expect(calls).toHaveLength(1);
});

test("counts after the finish reason do not make the reply go on", async () => {
  const counts = { choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } };
  const empty = { choices: [{ delta: { role: "assistant", content: "" }, finish_reason: null }] };

  const { calls, error } = await read(answering(sse(first, stop, empty, counts)));

  expect(error).toBeUndefined();
  expect(calls).toEqual([undefined]);
});

/** Sends this and resets the connection. */
function breaking(body: string): RequestListener {
  return (_request, response) => {
    response.writeHead(200, eventStream);
    response.write(body, () => response.destroy());
  };
}

/** The inputs of the calls that ended, as far as they are stated, and the error. */
async function read(listener: RequestListener): Promise<{ calls: unknown[]; error: unknown }> {
  const provider = createProvider(anyServer, { baseUrl: await serve(listener) });
  const parts: ProviderPart[] = [];
  let error: unknown;
  try {
    for await (const part of provider.stream(requestOf({ options: { model: "m" } }))) {
      parts.push(part);
    }
  } catch (thrown) {
    error = thrown;
    expect(thrown).toBeInstanceOf(ProviderError);
  }
  const calls = parts
    .filter((part) => part.type === "toolcall_end")
    .map(({ input }): unknown => input);
  return { calls, error };
}
