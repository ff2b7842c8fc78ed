/** Arguments that were cut off are not repaired: a tool run with half of them could write half a file. */
import { cutToolCall, echoTool, say } from "@capstan/testing";
import type { EmulatorScriptItem } from "@capstan/testing/emulators";
import { anthropicEmulator, cutConnection } from "@capstan/testing/emulators";
import { expect, test } from "vitest";
import { turnWith } from "./emulated-turns.ts";
import { block, decodeEvents, messageEnd, messageStart } from "./anthropic/events.ts";

const half = '{"path":"a.txt","text":"Dear Sir,';
const mended = '{"path":"a.txt"}';

test.each<[string, EmulatorScriptItem]>([
  ["by the token limit", cutToolCall("echo", half)],
  ["by the token limit, where half of it is JSON", cutToolCall("echo", mended)],
  ["by the network", [cutToolCall("echo", half), cutConnection()]],
  ["by the network, where half of it is JSON", [cutToolCall("echo", mended), cutConnection()]],
])("a call that was cut off %s never runs", async (_, cut) => {
  await using claude = await anthropicEmulator([cut, say("I will try again.")]);
  const tool = echoTool();

  await turnWith({
    model: "claude-sonnet-5",
    url: claude.url,
    tools: [tool],
    limits: { retry: { maxAttempts: 2 } },
  });

  expect(tool.started).toEqual([]);
});

test("the model is told that its call was cut off, and the turn goes on", async () => {
  await using claude = await anthropicEmulator([cutToolCall("echo", half), say("Sorry.")]);

  const { messages } = await turnWith({
    model: "claude-sonnet-5",
    url: claude.url,
    tools: [echoTool()],
  });

  expect(messages).toMatchObject([
    { role: "assistant", stopReason: "length", content: [{ malformedInput: half }] },
    { role: "tool", isError: true },
    { role: "assistant", content: [{ text: "Sorry." }] },
  ]);
});

test("a call ends with its block and with nothing else", () => {
  const start = { type: "tool_use", id: "toolu_1", name: "write", input: {} };
  const events = block(0, start, [{ type: "input_json_delta", partial_json: mended }]);

  const whole = decodeEvents([messageStart(), ...events, ...messageEnd("max_tokens")]);
  const cut = decodeEvents([messageStart(), ...events.slice(0, -1), ...messageEnd("max_tokens")]);

  const ends = [whole, cut].map((parts) => parts.filter(({ type }) => type === "toolcall_end"));
  expect(ends.map(({ length }) => length)).toEqual([1, 0]);
});
