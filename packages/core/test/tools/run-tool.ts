import type { AnyTool } from "@capstan/core";
import type { JsonValue } from "@capstan/kernel";
import { assertValidTranscript, callTool, runToEnd, say, scriptedProvider } from "@capstan/testing";
import type { FinishedTurn, RunToEndOptions } from "@capstan/testing";

/** A turn in which the tool is called once. */
export async function runTool(
  tool: AnyTool,
  input: JsonValue = { city: "Oslo" },
  options: Partial<RunToEndOptions> = {},
): Promise<FinishedTurn> {
  const provider = scriptedProvider([callTool(tool.name, input), say("Done")]);
  const turn = await runToEnd({ provider, tools: [tool], ...options });
  assertValidTranscript(turn.transcript, { allowOpenTail: turn.pending !== undefined });
  return turn;
}
