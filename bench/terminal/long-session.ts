/** A session of 10,000 entries that the command has really run, in a home folder. */
import { callTool, echoTool, say, scriptedProvider } from "@capstan/testing";
import { run } from "../../packages/cli/src/process/run.ts";
import { plainIo } from "./bench-io.ts";

/** About four entries each. */
const steps = 2_500;
const output = "The train to Oslo leaves at 7.15 from platform 4 and arrives at noon. ".repeat(4);

export const lastAnswer = "This is the last answer.";

export async function writeLongSession(home: string): Promise<void> {
  const provider = scriptedProvider([
    ...Array.from({ length: steps }, () => callTool("echo", { text: output })),
    say(lastAnswer),
  ]);
  const io = plainIo({ home, provider, tools: [echoTool()] });
  const code = await run(["--allow", "*", "Begin"], io);
  if (code !== 0) throw new Error(`The long session ended with exit code ${code}`);
}
