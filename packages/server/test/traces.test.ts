/** Turns in the traces of the requests that sent them. */
import { otelLogger } from "@capstan/core/otel";
import { say } from "@capstan/testing";
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { expect, test } from "vitest";
import { createWorld } from "./world.ts";

const trace = (digit: string) => digit.repeat(32);

test("a turn is in the trace of its HTTP request, with the spans of each request apart", async () => {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  const logger = otelLogger({ tracer: provider.getTracer("test") });
  const world = await createWorld([say("One"), say("Two"), say("Three")], { agent: { logger } });
  const execute = (body: object, traceparent: string) =>
    world.request("/api/agent/execute", {
      method: "POST",
      headers: { "content-type": "application/json", traceparent },
      body: JSON.stringify(body),
    });
  const span = "b7ad6b7169203331";

  const first = await execute({ input: "One?" }, `00-${trace("a")}-${span}-01`);
  await first.text();
  const sessionId = first.headers.get("x-session-id");
  await (await execute({ sessionId, input: "Two?" }, `00-${trace("b")}-${span}-01`)).text();
  await (await execute({ sessionId, input: "Three?" }, "no trace at all")).text();

  const turns = exporter.getFinishedSpans().filter(({ name }) => name === "invoke_agent");
  expect(turns.map((turn) => turn.spanContext().traceId)).toEqual([
    trace("a"),
    trace("b"),
    expect.not.stringMatching(/^(a+|b+)$/),
  ]);
  expect(turns.map((turn) => turn.parentSpanContext?.spanId)).toEqual([span, span, undefined]);
});
