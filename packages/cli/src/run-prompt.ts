/** One turn for one prompt, shown as it happens. */
import { runTurn } from "@capstan/kernel";
import { lsTool, readTool } from "@capstan/toolset";
import { chooseProvider } from "./choose-provider.ts";
import type { ExitCode, Io } from "./io.ts";
import { createPrinter } from "./print-events.ts";
import { toDim, toOneLine } from "./terminal-text.ts";

/** Enough for any honest task, and an end to a model that goes in circles. */
const maxSteps = 200;

export async function runPrompt(prompt: string, cwd: string, io: Io): Promise<ExitCode> {
  const { provider, reason } = (io.chooseProvider ?? chooseProvider)();
  const note = (text: string): void => {
    io.stderr.write(`${toDim(toOneLine(`capstan: ${text}`), io.stderr, io.env)}\n`);
  };
  note(`using the ${provider.id} provider, because ${reason}`);
  const { finishReason, error } = await runTurn({
    provider,
    messages: [],
    input: [{ role: "user", id: io.newId(), content: prompt }],
    tools: io.tools ?? [lsTool(), readTool()],
    dispatch: {},
    maxSteps,
    emit: createPrinter(io),
    conversationId: io.newId(),
    turnId: io.newId(),
    cwd,
    signal: io.signal,
    now: io.now,
    timer: io.timer,
    newId: io.newId,
  });
  switch (finishReason) {
    case "stop":
      return 0;
    case "aborted":
      note("interrupted");
      return 130;
    case "error":
      note(`the turn failed: ${error?.message ?? "no reason was given"}`);
      return 1;
    default:
      note(`the turn ended early: ${finishReason}`);
      return 0;
  }
}
