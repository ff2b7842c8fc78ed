/** B12: the conversation on a terminal. Its start, a fast reply below a long session, the opening of that session, and its memory. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Bench, Figure, Pace } from "../bench.ts";
import { judge } from "../bench.ts";
import type { Subject } from "../subject.ts";
import { writeLongSession } from "../terminal/long-session.ts";
import { whyNoPty } from "../terminal/pty.ts";
import { measureStart } from "../terminal/start.ts";
import { measureStream } from "../terminal/stream.ts";

const streamSeconds = 8;

export const b12: Bench = {
  name: "B12",
  what: "a conversation on a terminal",
  isFor: ({ name }) => name === "terminal",
  workloads: {},
  async measure(subjects, pace) {
    const [subject] = subjects;
    return subject === undefined ? [] : await measure(subject, pace);
  },
};

async function measure(subject: Subject, pace: Pace): Promise<Figure[]> {
  // The command compares folders by their real paths.
  const home = realpathSync(mkdtempSync(join(tmpdir(), "capstan-b12-")));
  try {
    await writeLongSession(home);
    // First: a stream adds to the session.
    const { shownMs, openMs, readMs } = runWorker("open-worker.ts", {
      B12_HOME: home,
      B12_ROUNDS: String(pace.rounds),
    }) as { readonly shownMs: number; readonly openMs: number; readonly readMs: number };
    const onTerminal = await measureOnTerminal(home, pace);
    const { heaps, textMB } = runWorker("hour-worker.ts", {}) as {
      readonly heaps: readonly number[];
      readonly textMB: number;
    };
    const grownMB = (heaps.at(-1) ?? Number.NaN) - (heaps[0] ?? Number.NaN);
    const metrics = {
      ...onTerminal,
      openMs,
      lastScreenRatio: shownMs / readMs,
      openRatio: openMs / readMs,
      hourMB: grownMB,
      hourTextMB: textMB,
    };
    return Object.entries(metrics).map(([metric, value]) => ({
      bench: "B12",
      subject: subject.name,
      metric,
      value,
      ...judge(subject, "B12", metric, value),
    }));
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function measureOnTerminal(
  home: string,
  pace: Pace,
): Promise<Readonly<Record<string, number>>> {
  const why = whyNoPty();
  if (why !== undefined) {
    console.error(`B12: not measured on a real terminal, as ${why}`);
    return {};
  }
  const { nodeMs, firstFrameMs, readyMs } = await measureStart(home, pace.starts);
  const stream = await measureStream(home, streamSeconds);
  return {
    nodeMs,
    firstFrameRatio: firstFrameMs / nodeMs,
    readyRatio: readyMs / nodeMs,
    ...stream,
  };
}

/** Runs it to its end, and returns the object that it prints. */
function runWorker(file: string, env: NodeJS.ProcessEnv): unknown {
  const path = join(import.meta.dirname, "../terminal", file);
  const args = ["--expose-gc", "--conditions=@capstan/source", path];
  const output = execFileSync(process.execPath, args, {
    env: { ...process.env, ...env },
    encoding: "utf8",
  });
  return JSON.parse(output);
}
