import { createAgent, createSession } from "@capstan/core";
import { otelLogger } from "@capstan/core/otel";
import { context, ROOT_CONTEXT, trace, TraceFlags } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { callTool, echoTool, say, scriptedProvider } from "@capstan/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { traceWorld } from "./trace-world.ts";

const { name, version } = manifest;

beforeEach(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager());
});

afterEach(() => {
  context.disable();
  trace.disable();
});

test("a turn is within the span that was active when it was run", async () => {
  const { tracer, tree } = traceWorld();
  const provider = scriptedProvider([callTool("echo"), say("Done")]);
  const agent = createAgent({
    model: provider,
    tools: [echoTool()],
    logger: otelLogger({ tracer }),
  });

  await tracer.startActiveSpan("GET /", async (request) => {
    await agent.run("Hello");
    request.end();
  });

  expect(tree()).toBe("GET /(invoke_agent(chat, execute_tool echo, chat))");
});

test("a turn of a session is within the span of the request, and never within one that is over", async () => {
  const { tracer, tree } = traceWorld();
  const model = scriptedProvider([say("One"), say("Two")]);
  const session = createSession({ agent: createAgent({ model, logger: otelLogger({ tracer }) }) });

  await tracer.startActiveSpan("first", async (request) => {
    await session.send("One?").response;
    request.end();
  });
  await session.send("Two?").response;

  expect(tree()).toBe("first(invoke_agent(chat)), invoke_agent(chat)");
});

test("a turn is within the span of another process", async () => {
  const { tracer, span } = traceWorld();
  const caller = {
    traceId: "0af7651916cd43dd8448eb211c80319c",
    spanId: "b7ad6b7169203331",
    traceFlags: TraceFlags.SAMPLED,
    isRemote: true,
  };
  const agent = createAgent({
    model: scriptedProvider([say("Done")]),
    logger: otelLogger({ tracer }),
  });

  await context.with(trace.setSpanContext(ROOT_CONTEXT, caller), () => agent.run("Hello"));

  expect(span("invoke_agent").parentSpanContext?.spanId).toBe(caller.spanId);
});

test("turns that run at the same time keep apart", async () => {
  const { tracer, tree } = traceWorld();
  const run = (title: string): Promise<void> =>
    tracer.startActiveSpan(title, async (request) => {
      const model = scriptedProvider([callTool("echo"), say("Done")]);
      const logger = otelLogger({ tracer, agentName: title });
      await createAgent({ model, tools: [echoTool()], logger }).run("Hello");
      request.end();
    });

  await Promise.all([run("a"), run("b")]);

  expect(tree().split("), ")).toEqual([
    "a(invoke_agent a(chat, execute_tool echo, chat)",
    "b(invoke_agent b(chat, execute_tool echo, chat))",
  ]);
});

test("without a tracer it takes the one that the process has, also if that comes later", async () => {
  const { provider, spans } = traceWorld();
  const logger = otelLogger();
  trace.setGlobalTracerProvider(provider);

  await createAgent({ model: scriptedProvider([say("Done")]), logger }).run("Hello");

  expect(spans().map((span) => span.name)).toEqual(["chat", "invoke_agent"]);
  expect(spans()[0]?.instrumentationScope).toMatchObject({ name, version });
});
