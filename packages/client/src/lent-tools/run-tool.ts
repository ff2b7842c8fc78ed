/** One run of a client-side tool: its result, error or stream becomes one answer. */
import type { PendingCall, ToolContract, ToolResult, ToolYield } from "@capstan/kernel";
import { serializeError, toExecutionEvent, toToolResult } from "@capstan/kernel";
import type { CallAnswer } from "@capstan/log";

export interface CallOrigin {
  readonly sessionId: string;
  readonly turnId: string;
  readonly incarnation: string | undefined;
}

/** Never rejects. */
export async function runTool(
  tool: ToolContract,
  { toolCallId, input, toolName }: PendingCall,
  { sessionId, turnId, incarnation }: CallOrigin,
  signal: AbortSignal,
): Promise<CallAnswer> {
  try {
    const parsed = await tool.parseInput?.(input);
    if (parsed?.issues !== undefined) {
      const issues = parsed.issues.map(({ message }) => message).join("; ");
      return failed(toolCallId, `Not run: invalid input for "${toolName}". ${issues}`);
    }
    const context = {
      conversationId: sessionId,
      turnId,
      toolCallId,
      step: 0,
      signal,
      cwd: undefined,
      // Calls of different sessions may have the same id.
      idempotencyKey: `${incarnation ?? sessionId}/${toolCallId}`,
      logger: undefined,
      // Progress and usage are not sent to the server.
      update: () => {},
      usage: () => {},
    };
    // The parsed input if the tool has a schema, else the model's input.
    const returned: unknown = await tool.execute?.((parsed?.value ?? input) as never, context);
    return toAnswer(
      toolCallId,
      isStreaming(returned) ? await lastOf(returned) : toToolResult(returned),
    );
  } catch (thrown) {
    return failed(toolCallId, serializeError(thrown).message);
  }
}

/** Answer for a call that another client started before it disappeared: it must not run twice. */
export function unknownOutcome(toolCallId: string): CallAnswer {
  return failed(
    toolCallId,
    "The outcome is unknown: the client that ran this is gone, and it must not run twice. Check before you repeat it.",
  );
}

function failed(toolCallId: string, output: string): CallAnswer {
  return {
    toolCallId,
    isError: true,
    output: output || "The tool failed without an error message.",
  };
}

function toAnswer(toolCallId: string, { isError, output, details }: ToolResult): CallAnswer {
  return { toolCallId, isError, output, ...(details !== undefined && { details }) };
}

function isStreaming(value: unknown): value is AsyncIterable<ToolYield> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

async function lastOf(yields: AsyncIterable<ToolYield>): Promise<ToolResult> {
  let shown = "";
  for await (const yielded of yields) {
    const event = toExecutionEvent(yielded);
    if (event === undefined) continue;
    if (event.type === "delta") shown += event.delta;
    else {
      const { output, details, isError = false } = event;
      const ok = { ok: !isError, outputMessage: "", details };
      return { ...toToolResult(ok), ...toToolResult(output), isError };
    }
  }
  return shown === ""
    ? { isError: true, output: "The tool ended without a result." }
    : toToolResult(shown);
}
