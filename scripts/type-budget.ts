// What our types cost the type checker of a user, against a budget. The program in test/type-budget is measured with the
// declarations in dist, which is what users get, and so are the same schemas without us: the difference is ours, the
// rest is zod's, Node's and the language's. Only counts are compared: they are the same on every machine, times are not.
//
// `node scripts/type-budget.ts` measures agent.ts; `node scripts/type-budget.ts exploding` another file of that folder.

import { spawnSync } from "node:child_process";
import { join } from "node:path";

/** Between a tenth and a quarter above what was measured on 2026-11-17. Raise one on purpose only, and say in the commit what it buys. */
const budget = { Types: 4_200, Instantiations: 20_500, Symbols: 15_200 };

type Count = keyof typeof budget;
type Counts = Readonly<Record<Count, number>>;

const root = join(import.meta.dirname, "..");
const names: readonly Count[] = ["Types", "Instantiations", "Symbols"];

const [program = "agent"] = process.argv.slice(2);
tsc(["-b", "tsconfig.build.json"]);
const without = measure("zod-only");
const ours = subtract(measure(program), without);
for (const name of names) {
  console.log(`${name}: ${ours[name]} of ${budget[name]} (the schemas alone: ${without[name]})`);
}
const complaints = names.filter((name) => ours[name] > budget[name]).map(toComplaint);
if (complaints.length > 0) {
  console.error(
    `${complaints.join("\n")}\nLook at what the last change did to types that users meet (Tool, InputOf, AgentInit, SessionEvent). ` +
      "If it is worth that, raise the budget in scripts/type-budget.ts.",
  );
  process.exitCode = 1;
}

function toComplaint(name: Count): string {
  const excess = ours[name] - budget[name];
  const percent = Math.ceil((100 * excess) / budget[name]);
  return `${name} are over their budget by ${excess} (${percent} %): ${ours[name]}, at most ${budget[name]}.`;
}

/** As a strict user compiles; on one thread, as several would count some types twice. */
function measure(file: string): Counts {
  const output = tsc([
    ...["--ignoreConfig", "--noEmit", "--extendedDiagnostics", "--singleThreaded"],
    ...["--strict", "--skipLibCheck", "--allowImportingTsExtensions"],
    ...["--target", "esnext", "--module", "nodenext", "--lib", "esnext", "--types", "node"],
    join("test", "type-budget", `${file}.ts`),
  ]);
  const count = (name: Count): number => {
    const found = new RegExp(`^${name}: +(\\d+)$`, "m").exec(output)?.[1];
    if (found === undefined) throw new Error(`tsc did not tell its ${name}. It said:\n${output}`);
    return Number(found);
  };
  return {
    Types: count("Types"),
    Instantiations: count("Instantiations"),
    Symbols: count("Symbols"),
  };
}

function subtract(whole: Counts, part: Counts): Counts {
  return {
    Types: whole.Types - part.Types,
    Instantiations: whole.Instantiations - part.Instantiations,
    Symbols: whole.Symbols - part.Symbols,
  };
}

function tsc(args: readonly string[]): string {
  const script = join(root, "node_modules", "typescript", "bin", "tsc");
  const { status, stdout, error } = spawnSync(process.execPath, [script, ...args], {
    cwd: root,
    encoding: "utf8",
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`tsc ${args.join(" ")} failed:\n${stdout}`);
  return stdout;
}
