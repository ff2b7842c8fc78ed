/** An agent whose work is traced: a tool that queries a database, one that fails, and an agent that it asks. */
import { agentTool, createAgent, defineTool } from "@capstan/core";
import { otelLogger } from "@capstan/core/otel";
import { callTool, failBefore, reply, say, scriptedProvider } from "@capstan/testing";
import { context, SpanStatusCode, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { z } from "zod";

const exporter = new InMemorySpanExporter();
context.setGlobalContextManager(new AsyncLocalStorageContextManager());
trace.setGlobalTracerProvider(
  new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }),
);
const tracer = trace.getTracer("program");

const count = defineTool({
  name: "count",
  description: "Counts the orders",
  input: z.object({}),
  async execute() {
    await tracer.startActiveSpan("SELECT count(*)", async (span) => span.end());
    return "7";
  },
});
const cancel = defineTool({
  name: "cancel",
  description: "Cancels an order",
  input: z.object({}),
  execute() {
    throw new Error("kaput");
  },
});
const clerk = createAgent({
  name: "clerk",
  model: { provider: scriptedProvider([callTool("count"), say("Seven.")]), id: "small" },
  tools: [count],
  logger: otelLogger({ agentName: "clerk" }),
});
const chief = createAgent({
  name: "chief",
  model: {
    provider: scriptedProvider([
      failBefore("overloaded"),
      reply(callTool("clerk", { task: "Count the orders" }), callTool("cancel", {})),
      say("There are seven, and none was cancelled."),
    ]),
    id: "large",
  },
  retry: { baseDelayMs: 0 },
  tools: [agentTool(clerk, { description: "Counts things" }), cancel],
  logger: otelLogger({ agentName: "chief" }),
});

console.log(await chief.run("How many orders are there? Cancel one."));
show(undefined, "");

function show(parentId: string | undefined, indent: string): void {
  for (const span of exporter.getFinishedSpans()) {
    if (span.parentSpanContext?.spanId !== parentId) continue;
    const { code, message } = span.status;
    console.log(`${indent}${span.name}${code === SpanStatusCode.ERROR ? ` (${message})` : ""}`);
    show(span.spanContext().spanId, `${indent}  `);
  }
}
