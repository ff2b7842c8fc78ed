/** The loop over plain messages: events, callbacks, tools, and `agentLoopContinue`. */
import { TurnError, agentLoop, agentLoopContinue } from "@capstan/kernel";
import type { AgentLoopConfig, AssistantMessage, ChatMessage, UserMessage } from "@capstan/kernel";
import {
  assertValidEvents,
  assertValidTranscript,
  callTool,
  echoTool,
  remoteTool,
  reply,
  say,
  scriptedProvider,
  sequentialIds,
} from "@capstan/testing";
import type { ScriptItem, ScriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";

const hello: UserMessage = { role: "user", id: "u1", content: "Hello" };
const hi: AssistantMessage = {
  role: "assistant",
  id: "a1",
  content: [{ type: "text", text: "Hi" }],
  stopReason: "stop",
};

function scripted(...script: readonly ScriptItem[]): {
  readonly provider: ScriptedProvider;
  readonly config: AgentLoopConfig;
} {
  const provider = scriptedProvider(script);
  return {
    provider,
    config: { provider, conversationId: "c1", turnId: "t1", clock: { newId: sequentialIds() } },
  };
}

test("event sequence: the turn, its prompts, then each step with its message and its tools", async () => {
  const { config } = scripted(callTool("echo", { x: 1 }), say(["Do", "ne"]));

  const turn = agentLoop([hello], { messages: [], tools: [echoTool()] }, config);
  const events = await Array.fromAsync(turn);

  const prompts = ["turn_start", "message_start", "message_end"];
  const calling = ["step_start", "attempt_start", "message_start"];
  const argumentText = ["toolcall_start", "toolcall_delta", "toolcall_end", "message_end"];
  const execution = ["tool_execution_start", "tool_execution_end", "message_start", "message_end"];
  const answering = ["step_end", "step_start", "attempt_start", "message_start"];
  const text = ["text_start", "text_delta", "text_delta", "text_end", "message_end"];
  const end = ["step_end", "turn_end", "settled"];
  expect(events.map((event) => event.type)).toEqual(
    [prompts, calling, argumentText, execution, answering, text, end].flat(),
  );
  assertValidEvents(events);
});

test("transformContext before convertToLlm: the model sees what came out of both, in that order", async () => {
  const { provider, config } = scripted(say("Done"));
  const note: ChatMessage = { role: "custom", id: "n1", kind: "note", data: { text: "Berlin" } };
  const seen: string[][] = [];

  const turn = agentLoop(
    [hello],
    { messages: [note, hi] },
    {
      ...config,
      transformContext: (messages) => {
        seen.push(messages.map((message) => message.id));
        return messages.slice(0, 1);
      },
      convertToLlm: (messages) => {
        seen.push(messages.map((message) => message.id));
        return messages.map((message): ChatMessage => {
          return { role: "user", id: message.id, content: "Note: Berlin" };
        });
      },
    },
  );
  await turn.response;

  expect(seen).toEqual([["n1", "a1", "u1"], ["n1"]]);
  expect(provider.requests[0]?.messages).toEqual([
    { role: "user", id: "n1", content: "Note: Berlin" },
  ]);
});

test("tool call execution: the tool runs once with its arguments, and the model gets its result", async () => {
  const { provider, config } = scripted(callTool("echo", { x: 1 }), say("Done"));
  const echo = echoTool();

  const response = await agentLoop([hello], { messages: [], tools: [echo] }, config).response;

  expect(echo.started.map((call) => call.input)).toEqual([{ x: 1 }]);
  expect(provider.requests[1]?.messages.at(-1)).toMatchObject({
    role: "tool",
    toolName: "echo",
    content: '{"x":1}',
    isError: false,
  });
  expect(response).toMatchObject({ status: "completed", text: "Done", finishReason: "stop" });
  provider.assertComplete();
});

test("steering queue skipping remaining tools: calls that have not started get error results", async () => {
  const { provider, config } = scripted(
    reply(callTool("echo", { n: 1 }), callTool("echo", { n: 2 }), callTool("echo", { n: 3 })),
    say("Understood"),
  );
  const steer: UserMessage = { role: "user", id: "s1", content: "Stop that" };
  const waiting: UserMessage[] = [];
  const echo = echoTool();

  const turn = agentLoop(
    [hello],
    { messages: [], tools: [echo] },
    {
      ...config,
      dispatch: {
        mode: "sequential",
        steering: "skip-remaining",
        after: () => void waiting.push(...(echo.started.length === 1 ? [steer] : [])),
      },
      getSteeringMessages: () => waiting.splice(0),
    },
  );
  const { messages } = await turn.response;

  expect(echo.started.map((call) => call.input)).toEqual([{ n: 1 }]);
  expect(messages).toMatchObject([
    { role: "assistant" },
    { role: "tool", isError: false },
    { role: "tool", isError: true, content: expect.stringContaining("Skipped") },
    { role: "tool", isError: true, content: expect.stringContaining("Skipped") },
    steer,
    { role: "assistant", content: [{ text: "Understood" }] },
  ]);
  assertValidTranscript([hello, ...messages]);
  provider.assertComplete();
});

test("continue validation: there must be messages", () => {
  const { provider, config } = scripted();

  const act = (): unknown => agentLoopContinue({ messages: [] }, config);

  expect(act).toThrow(TurnError);
  expect(act).toThrow("Cannot continue: there are no messages");
  expect(provider.requests).toEqual([]);
});

test("continue validation: the last message must not be from the assistant", () => {
  const { provider, config } = scripted();

  const act = (): unknown => agentLoopContinue({ messages: [hello, hi] }, config);

  expect(act).toThrow(TurnError);
  expect(act).toThrow("Cannot continue: the last message is from the assistant");
  expect(provider.requests).toEqual([]);
});

test("continue goes on from the messages as they are and announces no prompt", async () => {
  const { provider, config } = scripted(say("Hi"));

  const turn = agentLoopContinue({ messages: [hello] }, config);
  const events = await Array.fromAsync(turn);

  expect(events[0]).toMatchObject({ type: "turn_start", input: [] });
  expect(events[1]).toMatchObject({ type: "step_start" });
  expect(provider.requests[0]?.messages).toEqual([hello]);
  expect((await turn.response).text).toBe("Hi");
});

test("the system prompt is the first message of every request and no message of the response", async () => {
  const { provider, config } = scripted(callTool("echo"), say("Done"));
  const context = { systemPrompt: "Be brief.", messages: [hello, hi], tools: [echoTool()] };

  const { messages } = await agentLoop([{ ...hello, id: "u2" }], context, config).response;

  expect(provider.requests.map((request) => request.messages[0])).toMatchObject([
    { role: "system", content: "Be brief." },
    { role: "system", content: "Be brief." },
  ]);
  expect(messages.map((message) => message.role)).toEqual(["assistant", "tool", "assistant"]);
});

test("the response has only new messages: neither the history nor the prompts", async () => {
  const { provider, config } = scripted(say("Fine"));
  const prompt: UserMessage = { role: "user", id: "u2", content: "And you?" };

  const { messages } = await agentLoop([prompt], { messages: [hello, hi] }, config).response;

  expect(provider.requests[0]?.messages).toEqual([hello, hi, prompt]);
  expect(messages).toMatchObject([{ role: "assistant", content: [{ text: "Fine" }] }]);
});

test("a remote call makes the loop rest with the call pending", async () => {
  const { config } = scripted(callTool("remote", { x: 1 }));

  const turn = agentLoop([hello], { messages: [], tools: [remoteTool()] }, config);
  const events = await Array.fromAsync(turn);
  const response = await turn.response;

  expect(response.status).toBe("awaiting_tool_execution");
  expect(response.pendingToolCalls).toMatchObject([{ toolName: "remote", input: { x: 1 } }]);
  expect(events.at(-1)?.type).toBe("settled");
});
