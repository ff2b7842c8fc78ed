/** Maps each span of the kernel to an operation of the GenAI conventions. */
import type { LogFields, SpanName } from "@capstan/kernel";
import type { SpanOptions } from "@opentelemetry/api";
import { SpanKind } from "@opentelemetry/api";
import { toAttributes } from "./gen-ai-attributes.ts";

interface SpanDescription {
  readonly title: string;
  readonly options: SpanOptions;
}

/** Undefined for a step and for a summary, which are no operations: see docs/decisions/0007-opentelemetry.md. */
export function describeSpan(
  name: SpanName,
  fields: LogFields,
  agentName: string | undefined,
): SpanDescription | undefined {
  switch (name) {
    case "turn":
      return describe("invoke_agent", agentName, SpanKind.INTERNAL, { ...fields, agentName });
    case "step":
    case "summary":
      return undefined;
    case "attempt":
      return describe("chat", fields["model"], SpanKind.CLIENT, { ...fields, isStreaming: true });
    case "tool":
      return describe("execute_tool", fields["toolName"], SpanKind.INTERNAL, {
        ...fields,
        toolType: "function",
        agentName,
      });
    default:
      return name satisfies never;
  }
}

/** Titles must have low cardinality, so they name the operation and its subject, and no id. */
function describe(
  operation: string,
  subject: LogFields[string],
  kind: SpanKind,
  fields: LogFields,
): SpanDescription {
  const title = subject === undefined ? operation : `${operation} ${subject}`;
  return { title, options: { kind, attributes: toAttributes({ operation, ...fields }) } };
}
