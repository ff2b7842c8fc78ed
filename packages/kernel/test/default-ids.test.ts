/** Without `newId` the ids of messages and calls come from the turn and the position: unique, and identical each time. */
import { runTurn } from "@capstan/kernel";
import type { ChatMessage, RunTurnResult } from "@capstan/kernel";
import {
  assertValidEvents,
  assertValidTranscript,
  callTool,
  echoTool,
  failAfter,
  recordEvents,
  reply,
  say,
  scriptedProvider,
} from "@capstan/testing";
import type { EventRecorder, ScriptItem } from "@capstan/testing";
import { expect, test } from "vitest";

const hello: ChatMessage = { role: "user", id: "u1", content: "Hello" };

async function run(
  script: readonly ScriptItem[],
  turnId = "t1",
  messages: readonly ChatMessage[] = [hello],
): Promise<RunTurnResult & { readonly recorder: EventRecorder }> {
  const recorder = recordEvents();
  const result = await runTurn({
    provider: scriptedProvider(script),
    messages,
    tools: [echoTool()],
    dispatch: {},
    emit: recorder.emit,
    conversationId: "c1",
    turnId,
    limits: { retry: { maxAttempts: 2 } },
  });
  return { ...result, recorder };
}

const script: readonly ScriptItem[] = [
  reply(say("Let me see"), callTool("echo"), callTool("echo")),
  failAfter(callTool("echo"), "network"),
  reply(callTool("echo"), callTool("echo")),
  say("Done"),
];

test("no two messages of a turn have the same id", async () => {
  const { messages, recorder } = await run(script);

  expect(messages).toHaveLength(7);
  expect(new Set(messages.map((message) => message.id)).size).toBe(7);
  assertValidTranscript([hello, ...messages]);
  assertValidEvents(recorder.events);
});

test("a turn that runs again has the same ids", async () => {
  const first = await run(script);
  const second = await run(script);

  expect(second.messages).toEqual(first.messages);
  expect(second.recorder.events).toEqual(first.recorder.events);
});

test("events name a message and its calls as the message itself does", async () => {
  const { messages, recorder } = await run([callTool("echo"), say("Done")]);

  const started = recorder.ofType("message_start").map((event) => event.messageId);
  const executed = recorder.ofType("tool_execution_start").map((event) => event.toolCallId);
  expect(started).toEqual(messages.map((message) => message.id));
  expect(messages[0]).toMatchObject({ content: [{ id: executed[0] }] });
  expect(messages[1]).toMatchObject({ id: executed[0], toolCallId: executed[0] });
});

test("two turns of one conversation share no id", async () => {
  const first = await run(script, "t1");
  const history = [hello, ...first.messages, { ...hello, id: "u2" }];
  const second = await run(script, "t2", history);

  assertValidTranscript([...history, ...second.messages]);
});

test("a turn that goes on elsewhere with the same turn id repeats no id", async () => {
  const first = await run([callTool("echo"), failAfter("auth")]);
  const history = [hello, ...first.messages];
  const second = await run([callTool("echo"), say("Done")], "t1", history);

  expect(first.finishReason).toBe("error");
  assertValidTranscript([...history, ...second.messages]);
});
