/** Runtimes that tests use, besides the Node of the repository. If CAPSTAN_RUNTIMES is set, none of them may be missing. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

const bin = join(import.meta.dirname, "runtimes", "node_modules", ".bin");
const condition = "--conditions=@capstan/source";

export interface Runtime {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
}

/** Those that the examples run on. */
const runtimes: readonly Runtime[] = [
  // Its warnings are about SQLite and types, which are experimental there.
  { name: "Node 22.18", program: join(bin, "node"), args: [condition, "--no-warnings"] },
  { name: "Bun", program: join(bin, "bun"), args: [condition] },
  {
    name: "Deno",
    program: join(bin, "deno"),
    args: ["run", "--allow-all", "--no-check", condition],
  },
];

export function isInstalled({ program }: Runtime): boolean {
  return existsSync(program) || existsSync(`${program}.cmd`);
}

/** Skips a test whose runtime is not installed; fails it if CAPSTAN_RUNTIMES is set. */
export function skipMissing(name: string, skip: (why: string) => never): never {
  const why = `${name} is not installed: run npm ci --prefix test/runtimes`;
  if (process.env["CAPSTAN_RUNTIMES"] !== undefined) throw new Error(why);
  return skip(why);
}

/** One of them, chosen by the commit, so that each has its turn; or all, if CAPSTAN_RUNTIMES is `all`. */
export function runtimesOfThisRun(): readonly Runtime[] {
  if (process.env["CAPSTAN_RUNTIMES"] === "all") return runtimes;
  const first = Number.parseInt(commit().slice(0, 8), 16) % runtimes.length;
  return runtimes.slice(first, first + 1);
}

/** Without Git it is always the first. */
function commit(): string {
  try {
    const options = { cwd: import.meta.dirname, encoding: "utf8", stdio: "pipe" } as const;
    return execFileSync("git", ["rev-parse", "HEAD"], options);
  } catch {
    // An unpacked archive has no commit.
    return "0";
  }
}
