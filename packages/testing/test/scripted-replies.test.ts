import type { ProviderPart } from "@capstan/kernel";
import {
  callTool,
  callToolRaw,
  cutToolCall,
  finish,
  native,
  parts,
  pause,
  ping,
  refuse,
  reply,
  say,
  scriptedProvider,
  think,
  usage,
} from "@capstan/testing";
import type { ScriptItem, ScriptedProviderOptions } from "@capstan/testing";
import { expect, test } from "vitest";
import { requestWith } from "./request.ts";

function play(item: ScriptItem, options?: ScriptedProviderOptions): Promise<ProviderPart[]> {
  return Array.fromAsync(scriptedProvider([item], options).stream(requestWith()));
}

test("a text comes in the deltas that were given, and ends in stop without usage", async () => {
  const played = await play(say(["Hel", "lo"]));

  expect(played).toEqual([
    { type: "text_delta", delta: "Hel" },
    { type: "text_delta", delta: "lo" },
    { type: "finish", reason: "stop" },
  ]);
});

test("neighbours of one kind are parted by a start, others are not", async () => {
  const played = await play(reply(say("a"), ping(), say("b"), think("c"), think("d"), say("e")));

  expect(played).toEqual([
    { type: "text_delta", delta: "a" },
    { type: "ping" },
    { type: "text_start" },
    { type: "text_delta", delta: "b" },
    { type: "thinking_delta", delta: "c" },
    { type: "thinking_start" },
    { type: "thinking_delta", delta: "d" },
    { type: "text_delta", delta: "e" },
    { type: "finish", reason: "stop" },
  ]);
});

test("the signature of thinking ends it, as provider data", async () => {
  const played = await play(think("hm", { signature: "s1" }));

  expect(played.slice(0, 2)).toEqual([
    { type: "thinking_delta", delta: "hm" },
    { type: "thinking_end", providerData: "s1" },
  ]);
});

test("several calls of one reply have rising indexes, and the reply ends in tool-calls", async () => {
  const played = await play([callTool("a", { x: 1 }), callTool("b")]);

  expect(played).toEqual([
    { type: "toolcall_start", index: 0, name: "a" },
    { type: "toolcall_delta", index: 0, delta: '{"x":1}' },
    { type: "toolcall_end", index: 0 },
    { type: "toolcall_start", index: 1, name: "b" },
    { type: "toolcall_delta", index: 1, delta: "{}" },
    { type: "toolcall_end", index: 1 },
    { type: "finish", reason: "tool-calls" },
  ]);
});

test("arguments come in as many deltas as asked for, and say the same together", async () => {
  const played = await play(callTool("a", { city: "Oslo" }, { argumentDeltas: 3 }));

  const deltas = played.filter((part) => part.type === "toolcall_delta");
  expect(deltas).toHaveLength(3);
  expect(deltas.map((part) => part.delta).join("")).toBe('{"city":"Oslo"}');
});

test("no argument deltas means that the input comes parsed", async () => {
  const played = await play(callTool("a", { x: 1 }, { argumentDeltas: 0, id: "call_7" }));

  expect(played.slice(0, 2)).toEqual([
    { type: "toolcall_start", index: 0, name: "a", providerData: { id: "call_7" } },
    { type: "toolcall_end", index: 0, input: { x: 1 } },
  ]);
});

test("a call that the provider executes does not make the reply end in tool-calls", async () => {
  const played = await play([callTool("search", {}, { providerExecuted: true }), say("found")]);

  expect(played[0]).toMatchObject({ type: "toolcall_start", isProviderExecuted: true });
  expect(played.at(-1)).toEqual({ type: "finish", reason: "stop" });
});

test("raw argument text is sent as it is", async () => {
  const played = await play(callToolRaw("a", "{not json"));

  expect(played[1]).toEqual({ type: "toolcall_delta", index: 0, delta: "{not json" });
  expect(played.at(-1)).toEqual({ type: "finish", reason: "tool-calls" });
});

test("a call that is cut has no end, and its reply ends in length", async () => {
  const played = await play([callTool("a"), cutToolCall("b", '{"x":')]);

  expect(played.slice(3)).toEqual([
    { type: "toolcall_start", index: 1, name: "b" },
    { type: "toolcall_delta", index: 1, delta: '{"x":' },
    { type: "finish", reason: "length" },
  ]);
});

test("a reason that was given replaces the default one", async () => {
  const played = await play(
    reply(callTool("a"), finish("content-filter", { usage: { outputTokens: 3 } })),
  );

  expect(played.filter((part) => part.type === "finish")).toEqual([
    { type: "finish", reason: "content-filter", usage: { outputTokens: 3 } },
  ]);
});

test("a refusal, a native block and a pause are what the contract calls them", async () => {
  const played = await play(reply(refuse("no"), native({ a: 1 }), pause()));

  expect(played).toEqual([
    { type: "refusal_delta", delta: "no" },
    { type: "native", data: { a: 1 } },
    { type: "finish", reason: "pause" },
  ]);
});

test("raw parts are sent as they are, and later calls count on from them", async () => {
  const played = await play([
    parts([
      { type: "toolcall_start", index: 4, name: "a" },
      { type: "toolcall_end", index: 4 },
    ]),
    callTool("b"),
  ]);

  expect(played[2]).toEqual({ type: "toolcall_start", index: 5, name: "b" });
});

test("a default usage is reported by the replies that report none", async () => {
  const options = { usage: { inputTokens: 10 } };

  const silent = await play(say("a"), options);
  const reporting = await play([say("a"), usage({ inputTokens: 99 })], options);

  expect(silent.at(-1)).toEqual({ type: "finish", reason: "stop", usage: { inputTokens: 10 } });
  expect(reporting.at(-2)).toEqual({ type: "usage", usage: { inputTokens: 99 } });
  expect(reporting.at(-1)).toEqual({ type: "finish", reason: "stop" });
});

test("an origin is stated once, before the first part", async () => {
  const options = { origin: { provider: "scripted", model: "m1" } };

  const played = await play([say("a"), say("b")], options);
  const empty = await play([], options);

  expect(played.filter((part) => part.type === "start")).toEqual([played[0]]);
  expect(played[0]).toEqual({ type: "start", origin: options.origin });
  expect(empty.map((part) => part.type)).toEqual(["start", "finish"]);
});

test("a function answers by what the request says, also inside a reply", async () => {
  const provider = scriptedProvider([
    (request) => say(`step ${request.step}`),
    reply(say("a"), async (request) => say(`attempt ${request.attempt}`)),
  ]);

  const first = await Array.fromAsync(provider.stream(requestWith({ step: 7 })));
  const second = await Array.fromAsync(provider.stream(requestWith({ attempt: 2 })));

  expect(first[0]).toEqual({ type: "text_delta", delta: "step 7" });
  expect(second[2]).toEqual({ type: "text_delta", delta: "attempt 2" });
});
