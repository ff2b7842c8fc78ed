/** Calls a tool as the kernel does: the input is checked first, and execution gets what the check returned. */
import type { JsonValue, ToolContract, ToolOutput } from "@capstan/kernel";
import { toolContext } from "@capstan/testing";

export async function callTool(
  tool: ToolContract,
  input: JsonValue,
  { cwd, signal = new AbortController().signal }: { cwd?: string; signal?: AbortSignal },
): Promise<ToolOutput<Record<string, unknown>>> {
  const parsed = await tool.parseInput?.(input);
  if (parsed === undefined || parsed.issues !== undefined) {
    throw new Error(`not executed: ${JSON.stringify(parsed?.issues)}`);
  }
  const context = toolContext({ signal, cwd });
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
