/** B5: what a program pays for the import, and what comes with it. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Bench, Figure, Pace } from "../bench.ts";
import { interleave, median } from "../interleave.ts";
import type { Subject } from "../subject.ts";
import { toMetric } from "../timed-workers.ts";

const root = join(import.meta.dirname, "../..");
const conditions = ["node", "import", "default"];
const probe = join(root, "bench/import-probe.mjs");

/** An entry of `exports`: a path, or what it is under each condition. */
type Entry = string | { readonly [condition: string]: Entry };

interface Manifest {
  readonly exports: { readonly ".": Entry };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

export const b5: Bench = {
  name: "B5",
  what: "import of the built package, above bare node",
  workloads: {},
  async measure(subjects, pace) {
    const figures: Figure[] = [];
    for (const subject of subjects) {
      const { packageFolder } = subject;
      if (packageFolder !== undefined) {
        figures.push(...(await measurePackage(subject, join(root, packageFolder), pace)));
      }
    }
    return figures;
  },
};

async function measurePackage(subject: Subject, folder: string, pace: Pace): Promise<Figure[]> {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
  const entry = join(folder, pathOf(manifest.exports["."]));
  if (!existsSync(entry)) throw new Error(`${entry} is not there: run \`npm run build\` first`);
  const { wallMs, cpuMs, rssMB } = await importCosts(pathToFileURL(entry).href, pace.starts);
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = manifest;
  const named = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
  // npm does not install optional peers.
  const needed = named.filter((name) => peerDependenciesMeta?.[name]?.optional !== true);
  return [
    toMetric(subject, "B5", "wallMs", wallMs),
    toMetric(subject, "B5", "cpuMs", cpuMs),
    toMetric(subject, "B5", "rssMB", rssMB),
    toMetric(subject, "B5", "dependencies", needed.length),
    toMetric(subject, "B5", "unpackedKB", unpackedBytes(folder) / 1_000),
  ];
}

/** The file that Node imports. */
function pathOf(entry: Entry): string {
  if (typeof entry === "string") return entry;
  const next = Object.entries(entry).find(([condition]) => conditions.includes(condition))?.[1];
  if (next === undefined) throw new Error("The package has no entry that can be imported");
  return pathOf(next);
}

interface ImportCosts {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly rssMB: number;
}

/** What the program with the import takes above the same program without it. */
async function importCosts(url: string, starts: number): Promise<ImportCosts> {
  const bare = { args: [] as string[], cpu: [] as number[], rss: [] as number[] };
  const importing = { args: [url], cpu: [] as number[], rss: [] as number[] };
  // Files in the system's cache are the usual case, and the first start would be the only other.
  for (const program of [bare, importing]) start(program.args);
  const wall = await interleave([bare, importing], starts, async (program) => {
    const { wallMs, cpuMs, rssMB } = start(program.args);
    program.cpu.push(cpuMs);
    program.rss.push(rssMB);
    return wallMs;
  });
  return {
    wallMs: (wall.get(importing) ?? Number.NaN) - (wall.get(bare) ?? Number.NaN),
    cpuMs: median(importing.cpu) - median(bare.cpu),
    rssMB: median(importing.rss) - median(bare.rss),
  };
}

function start(args: readonly string[]): ImportCosts {
  const startedAt = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, [probe, ...args], {
    encoding: "utf8",
  });
  const wallMs = performance.now() - startedAt;
  if (status !== 0) throw new Error(`The program that only imports failed: ${stderr}`);
  const { cpu, rss } = JSON.parse(stdout) as { readonly cpu: number; readonly rss: number };
  return { wallMs, cpuMs: cpu / 1_000, rssMB: rss / 1_000_000 };
}

/** The size of what npm would install, without what it depends on. */
function unpackedBytes(folder: string): number {
  const args = ["pack", "--dry-run", "--json", "--ignore-scripts"];
  const { status, stdout, stderr } = spawnSync("npm", args, { cwd: folder, encoding: "utf8" });
  if (status !== 0) throw new Error(`npm pack failed: ${stderr}`);
  const [tarball] = JSON.parse(stdout) as { readonly unpackedSize: number }[];
  return tarball?.unpackedSize ?? Number.NaN;
}
