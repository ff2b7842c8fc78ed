/** Calls a tool as the kernel does: the input is checked first, and execution gets what the check returned. */
import type { JsonValue, ToolContract, ToolExecuteContext, ToolOutput } from "@capstan/kernel";

export async function callTool(
  tool: ToolContract,
  input: JsonValue,
  { cwd, signal = new AbortController().signal }: { cwd?: string; signal?: AbortSignal },
): Promise<ToolOutput<Record<string, unknown>>> {
  const parsed = await tool.parseInput?.(input);
  if (parsed === undefined || parsed.issues !== undefined) {
    throw new Error(`not executed: ${JSON.stringify(parsed?.issues)}`);
  }
  const context: ToolExecuteContext = {
    toolCallId: "call-1",
    conversationId: "conversation-1",
    turnId: "turn-1",
    step: 1,
    signal,
    cwd,
    idempotencyKey: "key-1",
    logger: undefined,
    update: () => {},
    usage: () => {},
  };
  // The kernel passes the checked value on without knowing its type; what is called here returns the envelope.
  return (await tool.execute?.(parsed.value as never, context)) as ToolOutput<
    Record<string, unknown>
  >;
}

/** The messages of everything that is wrong with an input. */
export async function complaintsAbout(tool: ToolContract, input: JsonValue): Promise<string[]> {
  const parsed = await tool.parseInput?.(input);
  return parsed?.issues?.map((issue) => issue.message) ?? [];
}
