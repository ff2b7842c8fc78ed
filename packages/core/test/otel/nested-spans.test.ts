/** Spans nest: the work of a tool, a provider, a callback and a nested agent is within the span it belongs to. */
import { agentTool, createAgent, createHost, createSession, defineTool } from "@capstan/core";
import { otelLogger } from "@capstan/core/otel";
import { memoryRepository } from "@capstan/log";
import { context } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { callTool, reply, say, scriptedProvider, usage } from "@capstan/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { TraceWorld } from "./trace-world.ts";
import { traceWorld } from "./trace-world.ts";

beforeEach(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager());
});

afterEach(() => {
  context.disable();
});

/** A tool that traces a query of its own, after a while. */
const lookUp = ({ tracer }: TraceWorld) =>
  defineTool({
    name: "look_up",
    description: "Looks something up",
    input: { type: "object" },
    async execute() {
      await Promise.resolve();
      tracer.startSpan("SELECT orders").end();
      return "found";
    },
  });

test("one trace has two tools, a nested agent and a database query, each in its place", async () => {
  const world = traceWorld();
  const logger = (agentName: string) => otelLogger({ tracer: world.tracer, agentName });
  const clerk = createAgent({
    name: "clerk",
    model: scriptedProvider([callTool("look_up"), say("42")]),
    tools: [lookUp(world)],
    logger: logger("clerk"),
  });
  const agent = createAgent({
    name: "chief",
    model: scriptedProvider([
      reply(callTool("look_up"), callTool("clerk", { task: "Count" })),
      say("Done"),
    ]),
    tools: [lookUp(world), agentTool(clerk, { description: "Counts" })],
    logger: logger("chief"),
  });

  await world.tracer.startActiveSpan("POST /chat", async (request) => {
    await createSession({ agent }).run("How many?");
    request.end();
  });

  expect(world.tree()).toBe(
    "POST /chat(invoke_agent chief(chat, execute_tool look_up(SELECT orders), " +
      "execute_tool clerk(invoke_agent clerk(chat, execute_tool look_up(SELECT orders), chat)), chat))",
  );
});

test("a provider's own requests are within its attempt, and a tool that streams within its call", async () => {
  const { tracer, tree } = traceWorld();
  const agent = createAgent({
    model: {
      id: "traced",
      contextWindow: 10_000,
      async *stream({ messages }) {
        await Promise.resolve();
        tracer.startSpan("POST /v1/messages").end();
        yield { type: "text_delta", delta: "Hm" };
        tracer.startSpan("read").end();
        if (messages.length === 1) {
          yield { type: "toolcall_start", index: 0, name: "count" };
          yield { type: "toolcall_end", index: 0 };
        }
        yield { type: "finish", reason: messages.length === 1 ? "tool-calls" : "stop" };
      },
    },
    tools: [
      defineTool({
        name: "count",
        description: "Counts",
        input: { type: "object" },
        async *execute() {
          yield "one";
          tracer.startSpan("second").end();
          yield "two";
        },
      }),
    ],
    logger: otelLogger({ tracer }),
  });

  await agent.run("Hello");

  expect(tree()).toBe(
    "invoke_agent(chat(POST /v1/messages, read), execute_tool count(second), chat(POST /v1/messages, read))",
  );
});

test("guards, hooks and prepareStep are within the turn", async () => {
  const { tracer, tree } = traceWorld();
  const traced = (title: string) => () => {
    tracer.startSpan(title).end();
    return undefined;
  };
  const agent = createAgent({
    model: scriptedProvider([say("Done")]),
    prepareStep: traced("prepare"),
    guards: { input: traced("input"), output: traced("output") },
    logger: otelLogger({ tracer }),
  });

  await agent.run("Hello");

  expect(tree()).toBe("invoke_agent(input, prepare, output, chat)");
});

test("each turn of a session is within the request that sent it, also a queued one", async () => {
  const { tracer, tree } = traceWorld();
  const agent = createAgent({
    model: scriptedProvider([say("One"), say("Two"), say("Three")]),
    logger: otelLogger({ tracer }),
  });
  const session = createSession({ agent });
  const request = (title: string, work: () => Promise<unknown>): Promise<void> =>
    tracer.startActiveSpan(title, async (span) => {
      await work();
      span.end();
    });

  await request("first", () => session.send("One?").response);
  await request("second", () => session.send("Two?").response);
  await request("third", async () => (await session.followUp("Three?")).outcome);
  await session.waitForIdle();

  expect(tree()).toBe(
    "first(invoke_agent(chat)), second(invoke_agent(chat)), third(invoke_agent(chat))",
  );
});

test("a turn that another process takes over stays in the trace of its request", async () => {
  const repository = memoryRepository();
  const { tracer, span } = traceWorld();
  const make = (reached: () => void, isStuck: boolean) => {
    const wait = defineTool({
      name: "wait",
      description: "Waits",
      input: { type: "object" },
      effect: "idempotent",
      execute: () => (reached(), isStuck ? new Promise<string>(() => {}) : "ready"),
    });
    const model = scriptedProvider(isStuck ? [callTool("wait")] : [say("Done")]);
    const agent = createAgent({ model, tools: [wait], logger: otelLogger({ tracer }) });
    return createHost({ agents: [agent], repository });
  };
  const { promise: isReached, resolve } = Promise.withResolvers<void>();
  const first = make(resolve, true);
  await tracer.startActiveSpan("POST /chat", async (request) => {
    first.createSession({ agent: "agent", id: "s1" }).send("Go");
    await isReached;
    request.end();
  });
  const sent = span("POST /chat").spanContext();
  await first.close();

  const second = make(() => {}, false);
  await (await second.open("s1")).waitForIdle();
  await second.close();

  const resumed = span("invoke_agent");
  expect(resumed.spanContext().traceId).toBe(sent.traceId);
  expect(resumed.parentSpanContext?.spanId).toBe(sent.spanId);
});

test("a request for a summary is a chat of the turn that needs it, and says so", async () => {
  const { tracer, tree, spans } = traceWorld();
  const agent = createAgent({
    model: scriptedProvider(
      [
        reply(callTool("look_up"), usage({ inputTokens: 9_000, outputTokens: 1 })),
        say("[summary] In short"),
        say("Done"),
      ],
      { contextWindow: 10_000 },
    ),
    tools: [lookUp(traceWorld())],
    logger: otelLogger({ tracer }),
  });

  await agent.runTurn({ input: "Go" }, [
    { role: "user", content: "word ".repeat(4_000) },
    { role: "assistant", content: [{ type: "text", text: "Yes" }], stopReason: "stop" },
  ]).response;

  expect(tree()).toBe("invoke_agent(chat, execute_tool look_up, chat, chat)");
  expect(spans().map(({ attributes }) => attributes["capstan.purpose"])).toEqual([
    undefined,
    undefined,
    "summary",
    undefined,
    undefined,
  ]);
});

/** Attributes of the spans of one run. */
async function runWith(content?: boolean | number) {
  const world = traceWorld();
  const agent = createAgent({
    model: scriptedProvider([callTool("look_up", { what: "orders" }), say("Seven")]),
    tools: [lookUp(traceWorld())],
    logger: otelLogger({ tracer: world.tracer, ...(content !== undefined && { content }) }),
  });
  await agent.run("How many?");
  return world.spans().map(({ attributes }) => attributes);
}

test("content is recorded only if it is asked for", async () => {
  const silent = JSON.stringify(await runWith());
  const [first, tool, last] = await runWith(true);
  const [cut] = await runWith(30);

  expect(silent).not.toMatch(/How many|Seven|orders|found/);
  expect(JSON.parse(String(first?.["gen_ai.input.messages"]))).toEqual([
    { role: "user", parts: [{ type: "text", content: "How many?" }] },
  ]);
  expect(tool).toMatchObject({
    "gen_ai.tool.call.arguments": '{"what":"orders"}',
    "gen_ai.tool.call.result": "found",
  });
  expect(JSON.parse(String(last?.["gen_ai.output.messages"]))).toEqual([
    { role: "assistant", parts: [{ type: "text", content: "Seven" }], finish_reason: "stop" },
  ]);
  expect(String(cut?.["gen_ai.input.messages"])).toHaveLength(31);
});

test.each(["throws", "never calls", "calls twice"])(
  "a logger whose `within` %s changes nothing",
  async (how) => {
    let runs = 0;
    const tool = defineTool({
      name: "act",
      description: "Acts",
      input: { type: "object" },
      execute: () => `run ${++runs}`,
    });
    const span = { setAttributes: () => {}, end: () => {} };
    const agent = createAgent({
      model: scriptedProvider([callTool("act"), say("Done")]),
      tools: [tool],
      logger: {
        log: () => {},
        startSpan: () => span,
        within: (_span, call) => {
          if (how === "throws") throw new Error("broken");
          if (how === "never calls") return undefined as never;
          call();
          return call();
        },
      },
    });

    await expect(agent.run("Go")).resolves.toBe("Done");
    expect(runs).toBe(1);
  },
);
