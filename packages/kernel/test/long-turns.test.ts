/** Bytes of a long turn, and the steering delivered in it. */
import type { AgentEvent, ChatMessage, UserMessage } from "@capstan/kernel";
import {
  assertValidEvents,
  callTool,
  echoTool,
  failBefore,
  runToEnd,
  say,
  scriptedProvider,
} from "@capstan/testing";
import { expect, test } from "vitest";

function user(id: string): UserMessage {
  return { role: "user", id, content: `Message ${id}` };
}

function steered(messages: readonly ChatMessage[]): string[] {
  return messages.map((message) => message.id).filter((id) => id.startsWith("s"));
}

test("steering is delivered exactly once, even if the next attempt fails", async () => {
  const waiting: ChatMessage[] = [user("s1"), user("s2")];
  const provider = scriptedProvider([
    callTool("echo"),
    failBefore("overloaded"),
    callTool("echo"),
    say("Done"),
  ]);

  const turn = await runToEnd({
    provider,
    tools: [echoTool()],
    limits: { retry: { maxAttempts: 2 } },
    drainSteering: () => waiting.splice(0),
  });

  expect(steered(turn.messages)).toEqual(["s1", "s2"]);
  expect(provider.requests.map((request) => steered(request.messages))).toEqual([
    [],
    ["s1", "s2"],
    ["s1", "s2"],
    ["s1", "s2"],
  ]);
  expect(turn.recorder.ofType("steering_delivered")).toMatchObject([{ ids: ["s1", "s2"] }]);
  assertValidEvents(turn.events);
});

test("asking whether steering waits takes none of it", async () => {
  const waiting: ChatMessage[] = [user("s1")];
  const provider = scriptedProvider([[callTool("echo"), callTool("echo")], say("Done")]);

  const turn = await runToEnd({
    provider,
    tools: [echoTool()],
    dispatch: { steering: "skip-remaining", mode: "sequential" },
    journal: { hasSteering: () => waiting.length > 0 },
    drainSteering: () => waiting.splice(0),
  });

  expect(turn.messages.map((message) => message.role)).toEqual([
    "assistant",
    "tool",
    "tool",
    "user",
    "assistant",
  ]);
});

/** Size on the wire, where the ids are stated once per stream. */
function bytesOf(events: readonly AgentEvent[]): number {
  return events
    .map((event) => ({ ...event, conversationId: undefined, turnId: undefined }))
    .map((event) => JSON.stringify(event).length)
    .reduce((sum, bytes) => sum + bytes, 0);
}

function isWhole(event: AgentEvent): boolean {
  return event.type === "text_end" || event.type === "message_end";
}

test("the events of 20,000 deltas are no more than a constant times what was said", async () => {
  const deltas = Array.from({ length: 20_000 }, (_, at) => `word number ${at}, `);
  const output = deltas.join("");

  const turn = await runToEnd({ provider: scriptedProvider([say(deltas)]) });

  expect(turn.recorder.ofType("text_delta")).toHaveLength(20_000);
  expect(bytesOf(turn.events)).toBeLessThan(5 * output.length);
});

test("no event repeats what an earlier one said, but the two that close it", async () => {
  const deltas = Array.from({ length: 20_000 }, (_, at) => `word number ${at}, `);
  const output = deltas.join("");

  const turn = await runToEnd({ provider: scriptedProvider([say(deltas)]) });

  const rest = turn.events.filter((event) => !isWhole(event));
  const largest = Math.max(...rest.map((event) => JSON.stringify(event).length));
  expect(turn.recorder.ofType("text_delta").map((event) => event.delta)).toEqual(deltas);
  expect(largest).toBeLessThan(200);
  expect(turn.events.filter(isWhole)).toMatchObject([
    { text: output },
    { message: { content: [{ text: output }] } },
  ]);
});

test("the last of a hundred tool steps costs as many bytes as the tenth", async () => {
  const provider = scriptedProvider([
    ...Array.from({ length: 100 }, (_, at) => callTool("echo", { step: at + 1 })),
    say("Done"),
  ]);

  const turn = await runToEnd({ provider, tools: [echoTool()] });

  const starts = turn.events.flatMap((event, at) => (event.type === "step_start" ? [at] : []));
  const tenth = bytesOf(turn.events.slice(starts[9], starts[10]));
  const ninetyNinth = bytesOf(turn.events.slice(starts[98], starts[99]));
  expect(starts).toHaveLength(101);
  // Ids grow by a digit, content does not.
  expect(ninetyNinth).toBeLessThan(tenth + 20);
});
