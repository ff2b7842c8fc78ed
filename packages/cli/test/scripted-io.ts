/** The command with a model that plays a script. */
import type { ProviderContract } from "@capstan/kernel";
import type { ScriptedProvider, ScriptItem } from "@capstan/testing";
import { scriptedProvider } from "@capstan/testing";
import type { ExitCode } from "../src/commands/exit-code.ts";
import type { Io } from "../src/process/io.ts";
import { run } from "../src/process/run.ts";
import type { MemoryIo } from "./memory-io.ts";
import { memoryIo } from "./memory-io.ts";

/** In place of the command's own choice. */
export function choosing(provider: ProviderContract): NonNullable<Io["chooseModel"]> {
  const model = { provider, id: "" };
  return () => ({ model, name: provider.id, reason: "a test wants it" });
}

export interface ScriptedRun {
  readonly exitCode: ExitCode;
  readonly io: MemoryIo;
  readonly provider: ScriptedProvider;
}

/** Runs the command to its end. Those with the same home have the same sessions. */
export async function runScripted(
  argv: readonly string[],
  script: readonly ScriptItem[],
  changes: Partial<Io> = {},
): Promise<ScriptedRun> {
  const provider = scriptedProvider(script);
  const io = memoryIo({ chooseModel: choosing(provider), ...changes });
  const exitCode = await run(argv, io);
  return { exitCode, io, provider };
}

/** The lines of JSON on stdout. */
export function jsonLines(io: MemoryIo): readonly Record<string, unknown>[] {
  return io
    .stdoutText()
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}
