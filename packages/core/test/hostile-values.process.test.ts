import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

/** What a process said of its share of the combinations. */
interface Share {
  readonly count: number;
  readonly failures: readonly string[];
}

const driver = fileURLToPath(new URL("./hostile/drive.ts", import.meta.url));
const processes = 2;
/** A process that says nothing for so long stands still. */
const silenceMs = 30_000;

test("whatever foreign code throws or returns, no process ends, no turn hangs, and every error has a name", async () => {
  const shares = await Promise.all(
    Array.from({ length: processes }, (_, share) => runShare(share, processes)),
  );

  expect(shares.flatMap(({ failures }) => failures)).toEqual([]);
  expect(Math.min(...shares.map(({ count }) => count))).toBeGreaterThan(25 * 40);
}, 240_000);

/** Goes on behind a combination that ended its process, so that all of them are told. */
async function runShare(first: number, step: number): Promise<Share> {
  const failures: string[] = [];
  for (let next = first; ;) {
    const { lines, end } = await runProcess(next, step);
    const { last, count } = read(lines, failures);
    if (count !== undefined) return { count, failures };
    failures.push(`${last} → the process ${end}`);
    next = Number.parseInt(last, 10) + step;
    // It did not even begin.
    if (Number.isNaN(next)) return { count: 0, failures };
  }
}

function read(
  lines: readonly string[],
  failures: string[],
): { readonly last: string; readonly count: number | undefined } {
  let last = "";
  for (const line of lines) {
    if (line.startsWith(">")) last = line.slice(1);
    else if (line.startsWith("!")) failures.push(`${last} → ${line.slice(1)}`);
    else if (line.startsWith("=")) return { last, count: Number(line.slice(1)) };
  }
  return { last, count: undefined };
}

function runProcess(
  first: number,
  step: number,
): Promise<{ readonly lines: readonly string[]; readonly end: string }> {
  const args = ["--conditions=@capstan/source", driver, String(first), String(step)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  return new Promise((resolve) => {
    let output = "";
    let errors = "";
    const kill = (): void => {
      child.kill("SIGKILL");
    };
    let silence = setTimeout(kill, silenceMs);
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      clearTimeout(silence);
      silence = setTimeout(kill, silenceMs);
    });
    child.stderr.on("data", (chunk: Buffer) => {
      errors = `${errors}${chunk.toString()}`.slice(-2_000);
    });
    child.on("close", (code, signal) => {
      clearTimeout(silence);
      const end = signal === null ? `ended with ${code}: ${errors}` : "stood still";
      resolve({ lines: output.split("\n"), end });
    });
  });
}
