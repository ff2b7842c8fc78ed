import { createAgent, createSession } from "@capstan/core";
import { otelLogger } from "@capstan/core/otel";
import type { Usage } from "@capstan/kernel";
import { SpanKind, SpanStatusCode } from "@opentelemetry/api";
import {
  callTool,
  echoTool,
  finish,
  manualClock,
  remoteTool,
  reply,
  runToEnd,
  say,
  scriptedProvider,
  usage,
  wait,
} from "@capstan/testing";
import { expect, test } from "vitest";
import { traceWorld } from "./trace-world.ts";

test("a turn is an agent span, with its model calls and tools directly within it", async () => {
  const { tracer, spans, tree } = traceWorld();
  const provider = scriptedProvider([callTool("echo", { n: 1 }), say("Done")]);

  await createAgent({
    model: { provider, id: "m-1" },
    tools: [echoTool()],
    logger: otelLogger({ tracer, agentName: "helper" }),
  }).run("Hello");

  expect(tree()).toBe("invoke_agent helper(chat m-1, execute_tool echo, chat m-1)");
  expect(spans().map(({ name, kind, status }) => [name, kind, status.code])).toEqual([
    ["chat m-1", SpanKind.CLIENT, SpanStatusCode.UNSET],
    ["execute_tool echo", SpanKind.INTERNAL, SpanStatusCode.UNSET],
    ["chat m-1", SpanKind.CLIENT, SpanStatusCode.UNSET],
    ["invoke_agent helper", SpanKind.INTERNAL, SpanStatusCode.UNSET],
  ]);
});

test("the spans have the attributes of the GenAI conventions", async () => {
  const { tracer, spans } = traceWorld();
  const tokens = { inputTokens: 9, outputTokens: 4 };
  const provider = scriptedProvider([reply(callTool("echo"), usage(tokens)), say("Done")], {
    id: "anthropic",
    origin: { provider: "anthropic", model: "m-1-20261101" },
  });

  const { messages } = await runToEnd({
    provider,
    providerOpts: { model: "m-1" },
    tools: [echoTool()],
    logger: otelLogger({ tracer, agentName: "helper" }),
  });

  const chat = {
    "gen_ai.operation.name": "chat",
    "gen_ai.conversation.id": "c1",
    "gen_ai.provider.name": "anthropic",
    "gen_ai.request.model": "m-1",
    "gen_ai.request.stream": true,
    "gen_ai.response.model": "m-1-20261101",
    "capstan.attempt": 1,
  };
  expect(spans().map((span) => span.attributes)).toStrictEqual([
    {
      ...chat,
      "gen_ai.response.finish_reasons": ["tool_call"],
      "gen_ai.usage.input_tokens": 9,
      "gen_ai.usage.output_tokens": 4,
      "capstan.step": 1,
    },
    {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.conversation.id": "c1",
      "gen_ai.agent.name": "helper",
      "gen_ai.tool.name": "echo",
      "gen_ai.tool.type": "function",
      "gen_ai.tool.call.id": messages[1]?.id,
      "capstan.step": 1,
    },
    { ...chat, "gen_ai.response.finish_reasons": ["stop"], "capstan.step": 2 },
    {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.conversation.id": "c1",
      "gen_ai.agent.name": "helper",
      "capstan.turn.id": "t1",
      "capstan.finish_reason": "stop",
    },
  ]);
});

test("the spans of a session have its id as that of the conversation", async () => {
  const { tracer, spans } = traceWorld();
  const model = scriptedProvider([say("Done")]);
  const session = createSession({ agent: createAgent({ model, logger: otelLogger({ tracer }) }) });

  const turn = session.send("Hello");
  await turn.response;

  const ids = spans().map((span) => span.attributes["gen_ai.conversation.id"]);
  expect(ids).toEqual([session.id, session.id]);
  expect(spans().at(-1)?.attributes["capstan.turn.id"]).toBe(turn.id);
});

test("a turn without a session has no conversation", async () => {
  const { tracer, span } = traceWorld();
  const agent = createAgent({
    model: scriptedProvider([say("Done")]),
    logger: otelLogger({ tracer }),
  });

  await agent.run("Hello");

  expect(span("invoke_agent").attributes).not.toHaveProperty(["gen_ai.conversation.id"]);
});

test("nothing that was said is in a span", async () => {
  const { tracer, spans } = traceWorld();
  const provider = scriptedProvider([callTool("echo", { word: "hush" }), say("hush")]);

  await createAgent({
    model: provider,
    instructions: "hush",
    tools: [echoTool()],
    logger: otelLogger({ tracer }),
  }).run("hush");

  const told = spans().map(({ name, attributes, events }) => ({ name, attributes, events }));
  expect(JSON.stringify(told)).not.toContain("hush");
});

test("each kind of token has its own attribute", async () => {
  const { tracer, span } = traceWorld();
  const reported: Usage = {
    inputTokens: 100,
    outputTokens: 50,
    cacheReadTokens: 60,
    cacheWriteTokens: 30,
    reasoningTokens: 20,
  };

  await createAgent({
    model: scriptedProvider([say("Done")], { usage: reported }),
    logger: otelLogger({ tracer }),
  }).run("Hello");

  expect(span("chat").attributes).toMatchObject({
    "gen_ai.usage.input_tokens": 100,
    "gen_ai.usage.output_tokens": 50,
    "gen_ai.usage.cache_read.input_tokens": 60,
    "gen_ai.usage.cache_write.input_tokens": 30,
    "gen_ai.usage.reasoning.output_tokens": 20,
  });
});

test("the tokens of a turn are counted once: its agent span has none", async () => {
  const { tracer, span } = traceWorld();
  const model = scriptedProvider([say("Done")], { usage: { inputTokens: 1, outputTokens: 1 } });

  await createAgent({ model, logger: otelLogger({ tracer }) }).run("Hello");

  const names = Object.keys(span("invoke_agent").attributes);
  expect(names.filter((name) => name.startsWith("gen_ai.usage"))).toEqual([]);
});

test("the first chunk is timed in seconds", async () => {
  const { tracer, span } = traceWorld();
  const clock = manualClock();
  const model = scriptedProvider([[wait(() => clock.advance(250)), say("Done")]]);
  const agent = createAgent({ model, logger: otelLogger({ tracer }) });

  await agent.runTurn({ input: "Hello" }, [], { clock }).response;

  expect(span("chat").attributes["gen_ai.response.time_to_first_chunk"]).toBe(0.25);
});

test.each([
  ["google", "gcp.gemini"],
  ["xai", "x_ai"],
  ["openai", "openai"],
  ["my-own", "my-own"],
])("the provider %s goes by the name %s", async (id, name) => {
  const { tracer, span } = traceWorld();

  await createAgent({
    model: scriptedProvider([say("Done")], { id }),
    logger: otelLogger({ tracer }),
  }).run("Hello");

  expect(span("chat").attributes["gen_ai.provider.name"]).toBe(name);
});

test.each([
  ["content-filter", "content_filter"],
  ["length", "length"],
])("a reply that ended with %s has the finish reason %s", async (reason, name) => {
  const { tracer, span } = traceWorld();
  const model = scriptedProvider([reply(say("Half"), finish(reason))]);

  await createAgent({ model, logger: otelLogger({ tracer }) }).runTurn({ input: "Hello" }).response;

  expect(span("chat").attributes["gen_ai.response.finish_reasons"]).toEqual([name]);
});

test("a turn that waits for somebody has ended, and says so", async () => {
  const { tracer, spans, span, counts } = traceWorld();
  const agent = createAgent({
    model: scriptedProvider([callTool("remote")]),
    tools: [remoteTool()],
    logger: otelLogger({ tracer }),
  });

  await agent.runTurn({ input: "Hello" }).response;

  expect(spans()).toHaveLength(counts.started);
  expect(span("invoke_agent").attributes["capstan.finish_reason"]).toBe("tool-calls");
});

test("every span of a session's turn names its principal", async () => {
  const { tracer, spans } = traceWorld();
  const provider = scriptedProvider([callTool("echo", { n: 1 }), say("Done")]);
  const agent = createAgent({
    model: provider,
    tools: [echoTool()],
    logger: otelLogger({ tracer }),
  });

  await createSession({ agent, principal: "ann" }).send("Hello").response;

  expect(spans().map(({ attributes }) => attributes["enduser.id"])).toEqual(
    Array.from({ length: 4 }, () => "ann"),
  );
});
