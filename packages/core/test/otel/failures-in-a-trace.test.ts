import { createAgent } from "@capstan/core";
import { otelLogger } from "@capstan/core/otel";
import type { Tracer } from "@opentelemetry/api";
import { SpanStatusCode } from "@opentelemetry/api";
import {
  callTool,
  deferredTool,
  failAfter,
  failBefore,
  failingTool,
  manualClock,
  reply,
  say,
  scriptedProvider,
  stall,
} from "@capstan/testing";
import type { ScriptItem } from "@capstan/testing";
import { expect, test } from "vitest";
import { traceWorld } from "./trace-world.ts";

const unset = { code: SpanStatusCode.UNSET };

test("an attempt that was discarded has failed, the next one and the turn have not", async () => {
  const { tracer, spans } = traceWorld();
  const clock = manualClock();
  const agent = createAgent({
    model: scriptedProvider([failAfter(say("Hal"), "overloaded"), say("Done")]),
    logger: otelLogger({ tracer }),
  });

  await clock.runUntil(agent.runTurn({ input: "Hello" }, [], { clock }).response);

  const [discarded, second, turn] = spans();
  expect(discarded?.status).toEqual({
    code: SpanStatusCode.ERROR,
    message: "scripted overloaded",
  });
  expect(discarded?.attributes).toMatchObject({
    "error.type": "overloaded",
    "gen_ai.response.finish_reasons": ["error"],
    "capstan.attempt": 1,
  });
  expect(second).toMatchObject({
    name: "chat",
    status: unset,
    attributes: { "capstan.attempt": 2 },
  });
  expect(turn).toMatchObject({ name: "invoke_agent", status: unset });
});

test("a tool that failed has failed, the turn that went on has not", async () => {
  const { tracer, span } = traceWorld();

  await createAgent({
    model: scriptedProvider([callTool("fail"), say("Done")]),
    tools: [failingTool()],
    logger: otelLogger({ tracer }),
  }).run("Hello");

  const { status, attributes } = span("execute_tool fail");
  expect(status).toEqual({ code: SpanStatusCode.ERROR, message: "the tool failed" });
  expect(attributes["error.type"]).toBe("Error");
  expect(span("invoke_agent").status).toEqual(unset);
});

test("a turn that failed has failed in its trace, with the reason", async () => {
  const { tracer, span } = traceWorld();
  const agent = createAgent({
    model: scriptedProvider([failBefore("auth")]),
    logger: otelLogger({ tracer }),
  });

  await agent.runTurn({ input: "Hello" }).response;

  expect(span("invoke_agent")).toMatchObject({
    status: { code: SpanStatusCode.ERROR, message: "scripted auth" },
    attributes: { "error.type": "auth", "capstan.finish_reason": "error" },
  });
});

test("an error without a code goes by its name", async () => {
  const { tracer, span } = traceWorld();
  const agent = createAgent({
    model: scriptedProvider([failBefore(new RangeError("too far"))]),
    logger: otelLogger({ tracer }),
  });

  await agent.runTurn({ input: "Hello" }).response;

  expect(span("chat").attributes["error.type"]).toBe("RangeError");
});

test.each<readonly [string, ScriptItem, string]>([
  ["in a reply", reply(say("Hel"), stall()), "invoke_agent(chat)"],
  [
    "while a tool runs that does not listen",
    callTool("deaf"),
    "invoke_agent(chat, execute_tool deaf)",
  ],
])("every span of a turn that is aborted %s ends", async (_, item, expected) => {
  const { tracer, spans, span, tree, counts } = traceWorld();
  const clock = manualClock();
  const agent = createAgent({
    model: scriptedProvider([item]),
    tools: [deferredTool({ name: "deaf" })],
    logger: otelLogger({ tracer }),
  });

  const turn = agent.runTurn({ input: "Hello" }, [], { clock });
  await clock.advance(0);
  turn.abort();
  await clock.runUntil(turn.response);

  expect(tree()).toBe(expected);
  expect(spans()).toHaveLength(counts.started);
  expect(span("invoke_agent")).toMatchObject({
    status: unset,
    attributes: { "capstan.finish_reason": "aborted" },
  });
});

test("a reply that an abort cut off has the finish reason that the conventions have for it", async () => {
  const { tracer, span } = traceWorld();
  const clock = manualClock();
  const model = scriptedProvider([reply(say("Hel"), stall())]);
  const agent = createAgent({ model, logger: otelLogger({ tracer }) });

  const turn = agent.runTurn({ input: "Hello" }, [], { clock });
  await clock.advance(0);
  turn.abort();
  await clock.runUntil(turn.response);

  expect(span("chat").attributes["gen_ai.response.finish_reasons"]).toEqual(["error"]);
  expect(span("chat").status).toEqual(unset);
});

const broken = (): never => {
  throw new Error("broken");
};

test("a tracer that throws breaks no turn", async () => {
  const tracer: Tracer = { startSpan: broken, startActiveSpan: broken };

  const answer = createAgent({
    model: scriptedProvider([callTool("fail"), say("Done")]),
    tools: [failingTool()],
    logger: otelLogger({ tracer }),
  }).run("Hello");

  await expect(answer).resolves.toBe("Done");
});

test("spans that throw break no turn", async () => {
  const { tracer } = traceWorld();
  const faulty: Tracer = {
    startSpan: (...args) =>
      Object.assign(tracer.startSpan(...args), {
        setAttributes: broken,
        setAttribute: broken,
        setStatus: broken,
        end: broken,
      }),
    startActiveSpan: broken,
  };

  const answer = createAgent({
    model: scriptedProvider([callTool("fail"), say("Done")]),
    tools: [failingTool()],
    logger: otelLogger({ tracer: faulty }),
  }).run("Hello");

  await expect(answer).resolves.toBe("Done");
});
