import { spawn } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** Runs the unit tests of a path and returns the first that fails, or undefined if all pass. A run past the limit fails. */
export async function firstFailure(path: string, limitMs: number): Promise<string | undefined> {
  const options = ["--project", "unit", "--bail", "1"];
  const { status, output } = await run("vitest", ["run", ...options, ...testFiles(path)], limitMs);
  if (status === 0) return undefined;
  if (status === undefined) return `the limit of ${limitMs / 1_000} s`;
  const [, failed] = /FAIL\s+(?:\|?unit\|?\s+)?(.+)/.exec(output) ?? [];
  if (failed !== undefined) return failed.trim();
  if (/Unhandled (Error|Rejection)/.test(output)) return "an unhandled error";
  throw new Error(`vitest failed on ${path}, but no test did:\n${output}`);
}

/** Tells if the source of a package compiles. Nothing is emitted. */
export async function compiles(folder: string): Promise<boolean> {
  const { status } = await run("tsc", ["-p", folder, "--noEmit"], 120_000);
  return status === 0;
}

/** Lists the unit tests of a folder by name: the name of the folder alone would run its type tests as well. */
function testFiles(path: string): string[] {
  if (statSync(join(root, path)).isFile()) return [path];
  return readdirSync(join(root, path), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts") && !name.endsWith(".process.test.ts"))
    .map((name) => join(path, name));
}

interface Outcome {
  /** Undefined if the limit was over first. */
  readonly status: number | undefined;
  readonly output: string;
}

async function run(command: string, args: readonly string[], limitMs: number): Promise<Outcome> {
  const child = spawn(join(root, "node_modules/.bin", command), args, {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NO_COLOR: "1" },
    // A worker that loops outlives the runner, unless the whole group is ended.
    detached: true,
  });
  const endGroup = (): void => {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  };
  let output = "";
  const collect = (text: Buffer): void => {
    output += text.toString();
  };
  child.stdout.on("data", collect);
  child.stderr.on("data", collect);
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
  const timer = setTimeout(() => {
    endGroup();
    resolve({ status: undefined, output });
  }, limitMs);
  process.once("exit", endGroup);
  child.once("error", reject);
  child.once("close", (status) => resolve({ status: status ?? 1, output }));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    process.off("exit", endGroup);
  }
}
