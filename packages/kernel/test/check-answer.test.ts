import type { AssistantMessage, Fact } from "@capstan/kernel";
import { callTool, echoTool, finish, runToEnd, say, scriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";
import { problemsOf } from "./turn-problems.ts";

function textOf({ content }: AssistantMessage): string {
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

function mustBeJson(message: AssistantMessage): string | undefined {
  return textOf(message).startsWith("{") ? undefined : "Answer with JSON only";
}

function answer(id: string, text: string): AssistantMessage {
  return { role: "assistant", id, content: [{ type: "text", text }], stopReason: "stop" };
}

test("an answer that is right ends the turn", async () => {
  const provider = scriptedProvider([say("{}")]);

  const turn = await runToEnd({ provider, limits: { checkAnswer: mustBeJson } });

  expect(turn).toMatchObject({ finishReason: "stop" });
  expect(turn.messages).toHaveLength(1);
});

test("a wrong answer is sent back once, with what is wrong, and the next one counts", async () => {
  const provider = scriptedProvider([say("Well"), say("{}")]);

  const turn = await runToEnd({ provider, limits: { checkAnswer: mustBeJson } });

  expect(turn.finishReason).toBe("stop");
  expect(turn.messages).toMatchObject([
    { role: "assistant" },
    { role: "user", content: "Answer with JSON only", source: "repair" },
    { role: "assistant", content: [{ text: "{}" }] },
  ]);
  expect(problemsOf(turn)).toEqual([]);
});

test("a second wrong answer fails the turn, and both are kept", async () => {
  const provider = scriptedProvider([say("Well"), callTool("echo"), say("Still not")]);

  const turn = await runToEnd({
    provider,
    tools: [echoTool()],
    limits: { checkAnswer: mustBeJson },
  });

  expect(turn).toMatchObject({ finishReason: "error", error: { code: "invalid_output" } });
  expect(turn.messages.map((message) => message.role)).toEqual([
    "assistant",
    "user",
    "assistant",
    "tool",
    "assistant",
  ]);
  expect(problemsOf(turn)).toEqual([]);
});

test("a reply that ended otherwise is not checked", async () => {
  const provider = scriptedProvider([[say("Well"), finish("length")]]);

  const turn = await runToEnd({ provider, limits: { checkAnswer: mustBeJson } });

  expect(turn.finishReason).toBe("length");
});

test("the question back is recorded before it is shown", async () => {
  const facts: Fact[] = [];
  const provider = scriptedProvider([say("Well"), say("{}")]);

  await runToEnd({
    provider,
    limits: { checkAnswer: mustBeJson },
    journal: { record: (added) => void facts.push(...added) },
  });

  const prompts = facts.filter((fact) => fact.type === "message" && fact.message.role === "user");
  expect(prompts).toHaveLength(1);
});

test("a turn that died after the question back does not ask a second time", async () => {
  const provider = scriptedProvider([]);

  const turn = await runToEnd({
    provider,
    limits: { checkAnswer: mustBeJson },
    messages: [
      { role: "user", id: "u1", content: "Hello" },
      answer("a1", "Well"),
      { role: "user", id: "u2", content: "Answer with JSON only", source: "repair" },
      answer("a2", "Still not"),
    ],
    journal: { prior: { steps: 2, attempts: 2, usage: {}, isResumed: true } },
  });

  expect(turn).toMatchObject({ finishReason: "error", error: { code: "invalid_output" } });
  expect(provider.requests).toEqual([]);
});

test("a check that throws fails the turn", async () => {
  const provider = scriptedProvider([say("Well")]);

  const turn = await runToEnd({
    provider,
    limits: {
      checkAnswer: () => {
        throw new Error("no schema");
      },
    },
  });

  expect(turn).toMatchObject({ finishReason: "error", error: { code: "callback_failed" } });
});
