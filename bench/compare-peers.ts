/** `npm run bench:peers`: measures Capstan beside its peers in one run, and writes bench/RESULTS.md and its picture. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Figure, Pace } from "./bench.ts";
import { benches } from "./benches.ts";
import type { DurableFigure, Refunds, Results } from "./results-page.ts";
import { toResultsPage } from "./results-page.ts";
import { toResultsPicture } from "./results-picture.ts";
import { wrapMarkdown } from "../scripts/wrap-markdown.ts";
import { installPeers, loadPeers, loadSubjects } from "./subject.ts";

const help = `npm run bench:peers -- [options]

Runs all benches, B1 to B6 also with the peers of bench/peers, durable turns with those of bench/durable/peers, and the
refund that is killed, and writes bench/RESULTS.md and docs/images/peers.svg. Installs the peers (800 MB). Takes about half
an hour.

  --rounds N   of each bench (default 15)
  --help       this text`;

/** Parts of a session, which only `npm run bench` measures. */
const parts = ["turn", "kernel-timed", "kernel-journal", "kernel-log"];

const here = import.meta.dirname;
const durable = join(here, "durable");

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "15" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) console.log(help);
else await compare(Number(values.rounds));

async function compare(rounds: number): Promise<void> {
  installPeers();
  execFileSync("npm", ["ci", "--no-audit", "--no-fund"], {
    cwd: join(durable, "peers"),
    stdio: ["ignore", 2, 2],
  });
  const results: Results = {
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} cores, Node ${process.versions.node}, ${process.platform}`,
    rounds,
    versions: versions(),
    figures: await measure(rounds),
    durable: lines<DurableFigure>(join(durable, "run.ts"), ["--json"]),
    refunds: lines<Refunds>(join(here, "refund/run.ts"), ["--json"]),
  };
  writeFileSync(join(here, "RESULTS.md"), wrapMarkdown(toResultsPage(results)));
  writeFileSync(join(here, "../docs/images/peers.svg"), toResultsPicture(results));
}

async function measure(rounds: number): Promise<Figure[]> {
  const own = (await loadSubjects()).filter(({ name }) => !parts.includes(name));
  const subjects = [...own, ...(await loadPeers())];
  const pace: Pace = {
    rounds,
    warmUpMs: 1_000,
    maxWarmUpMs: 15_000,
    roundMs: 200,
    probes: 3,
    starts: 30,
  };
  const all: Figure[] = [];
  for (const bench of benches) {
    console.error(`${bench.name}: ${bench.what} …`);
    const measured = subjects.filter(
      (subject) => bench.isFor?.(subject) ?? subject.createAgent !== undefined,
    );
    all.push(...(await bench.measure(measured, pace)));
  }
  return all;
}

/** Runs a program that prints one object per line. */
function lines<T>(file: string, args: readonly string[]): T[] {
  const { status, stdout } = spawnSync(
    process.execPath,
    ["--conditions=@capstan/source", "--no-warnings", file, ...args],
    { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] },
  );
  if (status !== 0) throw new Error(`${file} failed`);
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as T);
}

/** Versions of the packages that are compared, as installed. */
function versions(): Record<string, string> {
  const folders = [join(here, "peers"), join(durable, "peers")];
  const wanted = folders.flatMap((folder) => {
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
      readonly dependencies: Readonly<Record<string, string>>;
    };
    return Object.keys(manifest.dependencies).map((name) => join(folder, "node_modules", name));
  });
  return Object.fromEntries(
    wanted
      .filter((folder) => existsSync(folder))
      .map((folder) => {
        const { name, version } = JSON.parse(
          readFileSync(join(folder, "package.json"), "utf8"),
        ) as { readonly name: string; readonly version: string };
        return [name, version];
      }),
  );
}
