/**
 * `npm run mutants -- [--seed N] [--count N] [--packages kernel,log,core]`: changes single lines of source, one at a time, chosen by a seed, and
 * lists the changes that no unit test notices. The tree must be clean; every file is put back.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

interface Mutant {
  readonly file: string;
  readonly line: number;
  readonly before: string;
  readonly after: string;
}

/** Tests that are run after those of the mutated package if it survives them: its users', and a search by the crash simulator. */
const nextRing: Readonly<Record<string, readonly string[]>> = {
  kernel: ["packages/log/test", "packages/core/test"],
  log: ["packages/core/test"],
  core: ["packages/server/test", "packages/testing/test/crash-store-sync.test.ts"],
};

const changes: readonly (readonly [RegExp, string])[] = [
  [/ === /, " !== "],
  [/ !== /, " === "],
  [/ < /, " <= "],
  [/ <= /, " < "],
  [/ > /, " >= "],
  [/ >= /, " > "],
  [/ && /, " || "],
  [/ \|\| /, " && "],
  [/ \+ 1\b/, " + 2"],
  [/ \?\? /, " || "],
  [/\btrue\b/, "false"],
  [/\bfalse\b/, "true"],
  [/^(\s+)this\.[#\w.]+\(.*\);$/, "$1;"],
  [/^(\s+)this\.[#\w]+ (\+?=) .*;$/, "$1;"],
];

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "40" },
    packages: { type: "string", default: "kernel,log,core" },
  },
});
const root = join(import.meta.dirname, "..");
process.exitCode = main(Number(values.seed), Number(values.count), values.packages.split(","));

function main(seed: number, count: number, packages: readonly string[]): number {
  if (!passes("git", ["diff", "--quiet", "--", "packages"])) {
    console.error("packages/ has changes that are not committed: commit them first");
    return 2;
  }
  const random = randomFrom(seed);
  const candidates = packages.flatMap((name) => mutantsOf(join(root, "packages", name, "src")));
  const survivors: Mutant[] = [];
  let killed = 0;
  while (killed + survivors.length < count && candidates.length > 0) {
    const [mutant] = candidates.splice(Math.floor(random() * candidates.length), 1);
    if (mutant === undefined) break;
    const outcome = tryOut(mutant);
    if (outcome === "invalid") continue;
    if (outcome === "survived") survivors.push(mutant);
    else killed += 1;
    console.log(`${outcome}: ${describe(mutant)}`);
  }
  console.log(`${killed} killed, ${survivors.length} survived (seed ${seed})`);
  return survivors.length === 0 ? 0 : 1;
}

/** Every change of every line of code. */
function mutantsOf(folder: string): Mutant[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.startsWith("contracts/"))
    .flatMap((name) => {
      const file = join(folder, name);
      const lines = readFileSync(file, "utf8").split("\n");
      return lines.flatMap((before, index) =>
        changesOf(before).map((after) => ({ file, line: index + 1, before, after })),
      );
    });
}

function changesOf(line: string): string[] {
  if (/^\s*(\/?\*|\/\/|import|export type|readonly|\|)/.test(line)) return [];
  return changes.flatMap(([form, after]) => {
    const changed = line.replace(form, after);
    return changed === line ? [] : [changed];
  });
}

function tryOut({ file, line, after }: Mutant): string {
  const source = readFileSync(file, "utf8");
  const lines = source.split("\n");
  lines[line - 1] = after;
  try {
    writeFileSync(file, lines.join("\n"));
    if (!passes("npx", ["tsc", "-b"])) return "invalid";
    const [, name = ""] = /packages\/(\w+)\//.exec(file) ?? [];
    if (!passesTests([`packages/${name}/test`])) return "killed";
    for (const ring of nextRing[name] ?? []) {
      if (!passesTests([ring])) return `killed by ${ring}`;
    }
    return "survived";
  } finally {
    writeFileSync(file, source);
  }
}

function passesTests(paths: readonly string[]): boolean {
  const options = ["--project", "unit", "--typecheck.enabled=false", "--bail", "1"];
  return passes("npx", ["vitest", "run", ...options, ...paths]);
}

/** A change that makes a test run for ever counts as noticed. */
function passes(command: string, args: readonly string[]): boolean {
  const { status } = spawnSync(command, args, { cwd: root, stdio: "ignore", timeout: 600_000 });
  return status === 0;
}

function describe({ file, line, before, after }: Mutant): string {
  return `${file.slice(root.length + 1)}:${line}\n  - ${before.trim()}\n  + ${after.trim()}`;
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
