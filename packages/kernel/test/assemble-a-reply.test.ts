import {
  callTool,
  echoTool,
  finish,
  native,
  parts,
  ping,
  refuse,
  reply,
  runToEnd,
  say,
  scriptedProvider,
  think,
  usage,
} from "@capstan/testing";
import { expect, test } from "vitest";
import { problemsOf, rolesOf } from "./turn-problems.ts";

test("a reply with everything in it is assembled and told without a fault", async () => {
  const provider = scriptedProvider([
    reply(
      ping(),
      think(["hm", "…"], { signature: "s1" }),
      say(["Hel", "lo"]),
      native({ citations: [1] }),
      callTool("search", { q: "x" }, { providerExecuted: true }),
      callTool("echo", { x: 1 }, { argumentDeltas: 4, id: "call_1" }),
      callTool("echo", { x: 2 }, { argumentDeltas: 0 }),
      usage({ inputTokens: 7, outputTokens: 3 }),
    ),
    reply(refuse("No"), usage({ inputTokens: 9 })),
  ]);

  const turn = await runToEnd({ provider, tools: [echoTool()] });

  expect(turn.messages[0]).toMatchObject({
    stopReason: "tool-calls",
    content: [
      { type: "thinking", thinking: "hm…", providerData: "s1" },
      { type: "text", text: "Hello" },
      { type: "native", data: { citations: [1] } },
      { type: "tool_call", name: "search", isProviderExecuted: true },
      { type: "tool_call", name: "echo", input: { x: 1 }, providerData: { id: "call_1" } },
      { type: "tool_call", name: "echo", input: { x: 2 } },
    ],
  });
  expect(rolesOf(turn)).toEqual(["assistant", "tool", "tool", "assistant"]);
  expect(turn.messages[3]).toMatchObject({ content: [{ type: "refusal", text: "No" }] });
  expect(turn.usage).toMatchObject({ inputTokens: 16, outputTokens: 3 });
  expect(problemsOf(turn)).toEqual([]);
  provider.assertComplete();
});

test("calls whose arguments arrive interleaved are told apart", async () => {
  const provider = scriptedProvider([
    parts([
      { type: "toolcall_start", index: 0, name: "echo" },
      { type: "toolcall_start", index: 1, name: "echo" },
      { type: "toolcall_delta", index: 0, delta: '{"n":' },
      { type: "toolcall_delta", index: 1, delta: '{"n":' },
      { type: "toolcall_delta", index: 0, delta: "1}" },
      { type: "toolcall_end", index: 0 },
      { type: "toolcall_delta", index: 1, delta: "2}" },
      { type: "toolcall_end", index: 1 },
    ]),
    say("Done"),
  ]);
  const echo = echoTool();

  const turn = await runToEnd({ provider, tools: [echo] });

  expect(echo.started.map((call) => call.input)).toEqual([{ n: 1 }, { n: 2 }]);
  expect(problemsOf(turn)).toEqual([]);
});

test("a call without a word of arguments has empty arguments", async () => {
  const provider = scriptedProvider([
    parts([
      { type: "toolcall_start", index: 0, name: "echo" },
      { type: "toolcall_end", index: 0 },
    ]),
    say("Done"),
  ]);
  const echo = echoTool();

  await runToEnd({ provider, tools: [echo] });

  expect(echo.started.map((call) => call.input)).toEqual([{}]);
});

test("a reply that says nothing leaves no message", async () => {
  const provider = scriptedProvider([[]]);

  const turn = await runToEnd({ provider });

  expect(turn.finishReason).toBe("stop");
  expect(turn.messages).toEqual([]);
  expect(problemsOf(turn)).toEqual([]);
});

test("a reply that announces calls and has none is an answer", async () => {
  const provider = scriptedProvider([reply(say("Hello"), finish("tool-calls"))]);

  const turn = await runToEnd({ provider });

  expect(turn.finishReason).toBe("stop");
});

test("a finish reason that only its provider knows passes through as it is", async () => {
  const provider = scriptedProvider([reply(say("Hello"), finish("sated"))]);

  const turn = await runToEnd({ provider });

  expect(turn.finishReason).toBe("sated");
  expect(turn.messages).toMatchObject([{ stopReason: "sated" }]);
});

test("a part that makes no sense in its position fails the attempt", async () => {
  const provider = scriptedProvider([
    reply(say("Hel"), parts([{ type: "toolcall_delta", index: 3, delta: "{" }])),
  ]);

  const turn = await runToEnd({ provider });

  expect(turn).toMatchObject({ finishReason: "error", error: { code: "protocol" } });
  expect(turn.messages).toMatchObject([{ stopReason: "error", content: [{ text: "Hel" }] }]);
  expect(problemsOf(turn)).toEqual([]);
});

test("a part that is not known yet is passed over", async () => {
  const provider = scriptedProvider([
    reply(parts([{ type: "hologram", data: 1 } as never]), say("Hello")),
  ]);

  const turn = await runToEnd({ provider });

  expect(turn.recorder.text()).toBe("Hello");
  expect(problemsOf(turn)).toEqual([]);
});
