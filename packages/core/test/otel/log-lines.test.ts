import { createAgent, defineTool } from "@capstan/core";
import { otelLogger } from "@capstan/core/otel";
import { context } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { callTool, failBefore, say, scriptedProvider } from "@capstan/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { traceWorld } from "./trace-world.ts";

beforeEach(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager());
});

afterEach(() => {
  context.disable();
});

const overflow = (): never => {
  throw new Error("nothing to cut");
};

test("a log line is an event on the span of its turn", async () => {
  const { tracer, span } = traceWorld();
  const agent = createAgent({
    model: scriptedProvider([failBefore("context_overflow")]),
    onOverflow: overflow,
    logger: otelLogger({ tracer }),
  });

  await agent.runTurn({ input: "Hello", id: "t1" }).response;

  const { events } = span("invoke_agent");
  expect(events.map(({ name, attributes }) => [name, attributes])).toEqual([
    ["A hook threw: nothing to cut", expect.objectContaining({ level: "error" })],
    [
      expect.stringContaining("nothing to cut"),
      { level: "warn", "gen_ai.conversation.id": "t1", "capstan.turn.id": "t1" },
    ],
  ]);
});

test("log lines go to `log` where it is given, and nowhere else", async () => {
  const { tracer, spans } = traceWorld();
  const lines: unknown[][] = [];
  const agent = createAgent({
    model: scriptedProvider([failBefore("context_overflow")]),
    onOverflow: overflow,
    logger: otelLogger({ tracer, log: (...line) => lines.push(line) }),
  });

  await agent.runTurn({ input: "Hello", id: "t1" }).response;

  expect(lines).toEqual([
    ["error", "A hook threw: nothing to cut", expect.objectContaining({ sessionId: "t1" })],
    ["warn", expect.stringContaining("nothing to cut"), { conversationId: "t1", turnId: "t1" }],
  ]);
  expect(spans().flatMap((span) => span.events)).toEqual([]);
});

test("a line of a tool that names no turn is an event on the span of its call", async () => {
  const { tracer, span } = traceWorld();
  const look = defineTool({
    name: "look",
    description: "Looks",
    input: { type: "object" },
    execute(_, { logger }) {
      logger?.log("info", "looked", { rows: 3 });
      return "seen";
    },
  });
  const agent = createAgent({
    model: scriptedProvider([callTool("look"), say("Done")]),
    tools: [look],
    logger: otelLogger({ tracer }),
  });

  await agent.run("Hello");

  expect(span("execute_tool look").events).toMatchObject([
    { name: "looked", attributes: { level: "info", rows: 3 } },
  ]);
});

test("a line after the end of its turn is an event on the active span", async () => {
  const { tracer, span } = traceWorld();
  const logger = otelLogger({ tracer });
  const agent = createAgent({ model: scriptedProvider([say("Done")]), logger });

  await tracer.startActiveSpan("GET /", async (request) => {
    await agent.runTurn({ input: "Hello", id: "t1" }).response;
    logger.log("info", "late", { turnId: "t1" });
    request.end();
  });

  expect(span("GET /").events).toMatchObject([{ name: "late" }]);
});
