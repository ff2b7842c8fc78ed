/**
 * `npm run mutants -- [--seed N] [--count N] [--packages kernel,log,core] [--limit SECONDS]`: changes single lines of source, one at a time,
 * chosen by a seed, and lists which tests notice each. A test run that takes longer than the limit has noticed. The tree must be clean; every
 * file is restored.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { mutantsOf } from "./mutants/mutants-of.ts";
import type { Mutant } from "./mutants/mutants-of.ts";
import { compiles, firstFailure } from "./mutants/unit-tests.ts";

interface Candidate extends Mutant {
  readonly packageName: string;
  readonly file: string;
}

/** Tests that are run after those of the mutated package if it survives them: its users', and a search by the crash simulator. */
const nextRing: Readonly<Record<string, readonly string[]>> = {
  kernel: ["packages/log/test", "packages/core/test"],
  log: ["packages/core/test"],
  core: ["packages/server/test", "packages/testing/test/crash-store-sync.test.ts"],
};

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "40" },
    packages: { type: "string", default: "kernel,log,core" },
    limit: { type: "string", default: "300" },
  },
});
const root = join(import.meta.dirname, "..");
const limitMs = Number(values.limit) * 1_000;
process.exitCode = await main(
  Number(values.seed),
  Number(values.count),
  values.packages.split(","),
);

async function main(seed: number, count: number, packages: readonly string[]): Promise<number> {
  const changed = execFileSync("git", ["status", "--porcelain", "packages"], { cwd: root });
  if (changed.length > 0) {
    console.error("packages/ has changes that are not committed: commit them first");
    return 2;
  }
  for (const name of packages) {
    const failure = await firstFailure(ownTests(name), limitMs);
    if (failure === undefined) continue;
    console.error(`The tests of ${name} fail without a change: ${failure}`);
    return 2;
  }
  const random = randomFrom(seed);
  const candidates = packages.flatMap(candidatesOf);
  let [killed, survived] = [0, 0];
  while (killed + survived < count && candidates.length > 0) {
    const [candidate] = candidates.splice(Math.floor(random() * candidates.length), 1);
    if (candidate === undefined) break;
    const outcome = await tryOut(candidate);
    if (outcome === "invalid") continue;
    if (outcome === "survived") survived += 1;
    else killed += 1;
    console.log(`${killed + survived}. ${describe(candidate)}\n  ${outcome}`);
  }
  console.log(`${killed} killed, ${survived} survived (seed ${seed})`);
  return survived === 0 ? 0 : 1;
}

function candidatesOf(packageName: string): Candidate[] {
  const folder = join("packages", packageName, "src");
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .toSorted()
    .flatMap((name) => {
      const file = join(folder, name);
      const source = readFileSync(join(root, file), "utf8");
      return mutantsOf(file, source).map((mutant) => ({ ...mutant, packageName, file }));
    });
}

async function tryOut({ packageName, file, line, after }: Candidate): Promise<string> {
  const path = join(root, file);
  const source = readFileSync(path, "utf8");
  const restore = (): void => writeFileSync(path, source);
  process.once("exit", restore).once("SIGINT", stop).once("SIGTERM", stop);
  try {
    writeFileSync(
      path,
      source
        .split("\n")
        .with(line - 1, after)
        .join("\n"),
    );
    if (!(await compiles(`packages/${packageName}`))) return "invalid";
    for (const ring of [ownTests(packageName), ...(nextRing[packageName] ?? [])]) {
      const failure = await firstFailure(ring, limitMs);
      if (failure !== undefined) return `killed by ${ring}: ${failure}`;
    }
    return "survived";
  } finally {
    restore();
    process.off("exit", restore).off("SIGINT", stop).off("SIGTERM", stop);
  }
}

/** Ends the script by its own will, so that the file is restored. */
function stop(): never {
  process.exit(130);
}

function ownTests(packageName: string): string {
  return `packages/${packageName}/test`;
}

function describe({ file, line, before, after }: Candidate): string {
  return `${file}:${line}\n  - ${before.trim()}\n  + ${after.trim()}`;
}

/** Mulberry32: the same numbers for the same seed, on every machine. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
