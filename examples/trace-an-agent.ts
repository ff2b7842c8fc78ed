import { createAgent, defineTool } from "@capstan/core";
import { otelLogger } from "@capstan/core/otel";
import { callTool, say, scriptedProvider } from "@capstan/testing";
import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
} from "@opentelemetry/sdk-trace";

// An SDK for Node sets these up, with a batch processor and an OTLP exporter.
const exporter = new InMemorySpanExporter();
const spanProcessors = [new SimpleSpanProcessor({ exporter })];
trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors }));
context.setGlobalContextManager(new AsyncLocalStorageContextManager());
const tracer = trace.getTracer("shop");

const orders = defineTool({
  name: "orders",
  description: "Lists the orders",
  input: { type: "object" },
  execute: () =>
    tracer.startActiveSpan("SELECT orders", (span) => {
      span.end();
      return "two orders";
    }),
});
const agent = createAgent({
  name: "helper",
  model: { provider: scriptedProvider([callTool("orders"), say("Two.")]), id: "demo-1" },
  tools: [orders],
  logger: otelLogger({ agentName: "helper" }), // with `content: true` also what was said
});
await tracer.startActiveSpan("POST /chat", async (request) => {
  await agent.run("How many orders do I have?");
  request.end();
});

function show(parentId: string | undefined, indent: string): void {
  for (const span of exporter.getFinishedSpans()) {
    if (span.parentSpanContext?.spanId !== parentId) continue;
    console.log(`${indent}${span.name}`);
    show(span.spanContext().spanId, `${indent}. `);
  }
}
show(undefined, ""); // → POST /chat
// → . invoke_agent helper
// → . . chat demo-1
// → . . execute_tool orders
// → . . . SELECT orders
// → . . chat demo-1
