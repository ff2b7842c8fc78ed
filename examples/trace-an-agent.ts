import { createAgent } from "@capstan/core";
import { otelLogger } from "@capstan/core/otel";
import { callTool, echoTool, say, scriptedProvider } from "@capstan/testing";
import { trace } from "@opentelemetry/api";
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
} from "@opentelemetry/sdk-trace";

const exporter = new InMemorySpanExporter(); // for real: a batch processor with an OTLP exporter
const spanProcessors = [new SimpleSpanProcessor({ exporter })];
trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors }));

const agent = createAgent({
  name: "helper",
  model: { provider: scriptedProvider([callTool("echo"), say("Done.")]), id: "demo-1" },
  tools: [echoTool()],
  logger: otelLogger({ agentName: "helper" }),
});
await agent.run("Hello");

for (const span of exporter.getFinishedSpans()) console.log(span.name); // chat demo-1, execute_tool echo, …
