/** How soon the command shows its first frame, and a key: beside a Node that writes one letter. */
import { join } from "node:path";
import { interleave } from "../interleave.ts";
import type { Pty } from "./pty.ts";
import { openPty } from "./pty.ts";

export interface StartFigures {
  readonly nodeMs: number;
  readonly firstFrameMs: number;
  readonly readyMs: number;
}

const command = join(import.meta.dirname, "../../packages/cli/bin/capstan.js");

export async function measureStart(home: string, starts: number): Promise<StartFigures> {
  const env = { ...process.env, HOME: home };
  const ways = {
    node: () => timeOf(["-e", "process.stdout.write('Ж')"], env, (pty) => pty.seen("Ж")),
    firstFrame: () => timeOf([command, "--offline"], env, (pty) => pty.seen("capstan")),
    ready: () =>
      timeOf([command, "--offline"], env, async (pty) => {
        await pty.seen("capstan");
        // From now on the terminal does not show keys by itself.
        pty.write("Ж");
        return pty.seen("Ж");
      }),
  };
  const names = ["node", "firstFrame", "ready"] as const;
  // Files in the system's cache are the usual case.
  for (const name of names) await ways[name]();
  const times = await interleave(names, starts, (name) => ways[name]());
  return {
    nodeMs: times.get("node") ?? Number.NaN,
    firstFrameMs: times.get("firstFrame") ?? Number.NaN,
    readyMs: times.get("ready") ?? Number.NaN,
  };
}

async function timeOf(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  reached: (pty: Pty) => Promise<number>,
): Promise<number> {
  const pty = openPty(args, env);
  try {
    return (await reached(pty)) - pty.startedAt;
  } finally {
    pty.kill();
    await pty.ended;
  }
}
