/** Processes that start their work at the same moment. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";

export interface Waiting {
  /** Lets it go on, and gives what it printed. */
  start(): Promise<unknown>;
}

/** Starts a fixture that prints a line, waits for one, and then prints JSON. */
export async function waitingProcess(fixture: string, input: object): Promise<Waiting> {
  const child = spawn(
    process.execPath,
    ["--conditions=@capstan/source", fixture, JSON.stringify(input)],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  await once(child.stdout, "data");
  return {
    start: async () => {
      const ended = once(child, "close");
      child.stdin.end("go\n");
      await ended;
      return JSON.parse(output.slice("ready\n".length));
    },
  };
}
