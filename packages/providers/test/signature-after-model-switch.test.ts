/** Thinking signed by one model is not sent to another, which would refuse it. */
import type { ChatMessage } from "@capstan/kernel";
import { callTool, echoTool, say, think } from "@capstan/testing";
import { anthropicEmulator } from "@capstan/testing/emulators";
import { expect, test } from "vitest";
import { refusalsOf, turnWith, user } from "./emulated-turns.ts";

const script = [think("Hm"), say("Looking."), callTool("echo")];
const end = [think("Ah"), say("Done.")];
const options = { thinkingLevel: "high" } as const;

test.each([
  ["claude-sonnet-4-5", "claude-opus-4-6"],
  ["claude-opus-4-6", "claude-sonnet-4-5"],
  ["claude-opus-5", "claude-fable-5-1"],
  ["claude-fable-5-1", "claude-opus-5-5"],
  ["claude-opus-5-5", "claude-haiku-4-5"],
  ["claude-haiku-5-5", "claude-opus-5-5"],
])(
  "a conversation moves from %s to %s and back, between turns and inside of one",
  async (one, other) => {
    await using claude = await anthropicEmulator([script, end, script, end, script, script, end]);
    const tools = [echoTool()];
    const turn = { url: claude.url, options, tools };

    const first = await turnWith({ ...turn, model: one, messages: [user("Look")] });
    const second = await turnWith({
      ...turn,
      model: other,
      messages: [...first.transcript, user("Again")],
    });
    const cut = await turnWith({
      ...turn,
      model: one,
      messages: [...second.transcript, user("Once more")],
      limits: { maxSteps: 1 },
    });
    await turnWith({ ...turn, model: other, messages: cut.transcript });

    expect(refusalsOf(claude)).toEqual([]);
    claude.assertComplete();
  },
);

test("thinking is left out for the other model only: the first one finds its own again", async () => {
  await using claude = await anthropicEmulator([end, end, say("Bye.")]);
  const turn = { url: claude.url, options };

  const first = await turnWith({ ...turn, model: "claude-sonnet-4-5", messages: [user("Hi")] });
  const second = await turnWith({
    ...turn,
    model: "claude-opus-4-6",
    messages: [...first.transcript, user("And you?")],
  });
  await turnWith({
    ...turn,
    model: "claude-sonnet-4-5",
    messages: [...second.transcript, user("Bye")],
  });

  const sent = claude.requests.map(({ body }) => JSON.stringify(body["messages"]));
  expect(sent.map((text) => text.split('"signature"').length - 1)).toEqual([0, 0, 1]);
});

test("what was evicted before it does not make thinking fail the conversation", async () => {
  await using claude = await anthropicEmulator([script, end, say("Bye.")]);
  const turn = { url: claude.url, model: "claude-opus-5-5", tools: [echoTool()] };

  const first = await turnWith({ ...turn, messages: [user("Look")] });
  const evicted = first.transcript.map((message): ChatMessage =>
    message.role === "tool" ? { ...message, content: "[left out]" } : message,
  );
  const second = await turnWith({ ...turn, messages: [...evicted, user("Bye")] });

  expect(refusalsOf(claude)).toEqual([]);
  expect(second.finishReason).toBe("stop");
});
