/** What must be true of a command that a page shows: one row for each program. */
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { DocumentedCommand } from "./shell-blocks.ts";

const root = join(import.meta.dirname, "../..");

/** Problems of the arguments, in words. */
type Check = (args: readonly string[], command: DocumentedCommand) => readonly string[];

/** Run in full by a test that follows the page or starts the program; here only its shape is read. */
const isRunElsewhere: Check = () => [];

/** Each program that a page may use. Commands that no row knows fail. */
const checks: Readonly<Record<string, Check>> = {
  npm: (args, command) => checkNpm(args, command),
  npx: ([program = "", ...args], command) => {
    if (/[<…]/.test(program)) return [];
    const known = ["capstan", "node", "vitest"];
    return known.includes(program)
      ? checkWords([program, ...args], command)
      : [`npx ${program}: not ours`];
  },
  node: ([path = ""], { block }) => {
    // A program of the page, which newcomer.process.test.ts saves and runs.
    const isOfPage =
      block.page.startsWith("docs/start/") && readPage(block.page).includes(`\`${path}\``);
    return path.startsWith("-") || isOfPage || existsSync(join(root, path))
      ? []
      : [`no file ${path}`];
  },
  vitest: (args) =>
    args
      .filter((arg) => arg.includes("/") && !arg.includes("<") && !existsSync(join(root, arg)))
      .map((path) => `no file ${path}`),
  ".ci/run": () => (existsSync(join(root, ".ci/run")) ? [] : ["no file .ci/run"]),
  // Run by packages/cli/test/documented-commands.test.ts, each of them.
  capstan: isRunElsewhere,
  // Run by shell-blocks.process.test.ts.
  curl: isRunElsewhere,
  pnpm: (args) => checkCreate(args),
  yarn: (args) => checkCreate(args),
  bun: (args) => checkCreate(args),
  // Needs a Docker daemon, which CI has not.
  docker: (args, { block }) => [
    ...(args.slice(0, 2).join(" ") === "compose up" ? [] : [`docker ${args.join(" ")}: unknown`]),
    ...(existsSync(join(root, dirname(block.page), "compose.yaml")) ? [] : ["no compose.yaml"]),
  ],
  export: ([assignment = ""], { block }) =>
    checkVariable(assignment.split("=")[0] ?? "", block.page),
  // These belong to the system. What they do is not ours to test.
  git: ([verb = ""]) => (verb === "diff" ? [] : [`git ${verb}: unknown`]),
  openssl: ([verb = ""]) => (verb === "rand" ? [] : [`openssl ${verb}: unknown`]),
  source: isRunElsewhere,
};

/** Problems of a command; empty if it does what its page says, as far as can be told without running it. */
export function problemsOf(command: DocumentedCommand): readonly string[] {
  const variables = Object.keys(command.env).flatMap((name) =>
    checkVariable(name, command.block.page),
  );
  return [...variables, ...checkWords(command.words, command)];
}

function checkWords(
  [program = "", ...args]: readonly string[],
  command: DocumentedCommand,
): readonly string[] {
  const check = checks[program];
  return check === undefined ? [`unknown program ${program}`] : check(args, command);
}

interface Manifest {
  readonly private?: boolean;
  readonly scripts?: Readonly<Record<string, string>>;
}

function checkNpm(args: readonly string[], { block }: DocumentedCommand): readonly string[] {
  const at = args.indexOf("--prefix");
  const folder = at < 0 ? projectOf(block.page) : (args[at + 1] ?? "");
  const [verb = "", ...rest] = args.filter(
    (_, index) => at < 0 || (index !== at && index !== at + 1),
  );
  switch (verb) {
    case "ci":
      // The end of a sentence about several folders.
      if (at >= 0 && folder === "") return [];
      return existsSync(join(root, folder, "package-lock.json"))
        ? []
        : [`no lockfile in ${folder}`];
    case "run":
      return checkScript(folder, rest);
    case "test":
    case "start":
      return checkScript(folder, [verb, ...rest]);
    case "install":
      return rest.flatMap(checkPackage);
    case "create":
      return checkCreate(args);
    // newcomer.process.test.ts runs them.
    case "init":
    case "pkg":
      return [];
    default:
      return [`npm ${verb}: unknown`];
  }
}

/** The folder of the template that the page belongs to, or the repository. */
function projectOf(page: string): string {
  return page.includes("/templates/") ? dirname(page) : "";
}

function checkScript(folder: string, [name = "", ...args]: readonly string[]): readonly string[] {
  const path = join(root, folder, "package.json");
  if (!existsSync(path)) return [`no package.json in ${folder}`];
  const { scripts = {} } = JSON.parse(readFileSync(path, "utf8")) as Manifest;
  const script = scripts[name];
  if (script === undefined) return [`no script ${name} in ${join(folder, "package.json")}`];
  const own = args[0] === "--" ? args.slice(1) : [];
  const lost = args.filter((arg) => arg.startsWith("--") && args[0] !== "--");
  return [
    ...lost.map((arg) => `npm takes ${arg} for itself: write -- before it`),
    ...own
      .filter((arg) => arg.startsWith("--") && !optionsOf(script).has(arg.slice(2)))
      .map((arg) => `${name} has no option ${arg}`),
  ];
}

/** Names that the program of the script, and the files beside it that bear its name, write as options. */
function optionsOf(script: string): ReadonlySet<string> {
  const entry = /(\S+\.(?:ts|mjs))$/.exec(script)?.[1];
  if (entry === undefined) return new Set();
  const folder = entry.replace(/\.\w+$/, "");
  const texts = [entry, ...globSync(`${folder}/*.ts`, { cwd: root })].map((path) =>
    readFileSync(join(root, path), "utf8"),
  );
  const names = texts.join("\n").matchAll(/"(?:--)?([a-z][a-z-]+)"|\b([a-z]+): \{ type: "/g);
  return new Set(Array.from(names, ([, quoted, plain]) => quoted ?? plain ?? ""));
}

/** Packages of others that a page may install. */
const others: ReadonlySet<string> = new Set(["zod"]);

function checkPackage(name: string): readonly string[] {
  if (name.startsWith("-") || others.has(name)) return [];
  const path = join(root, "packages", name.replace("@capstan/", ""), "package.json");
  if (!name.startsWith("@capstan/") || !existsSync(path)) return [`no package ${name}`];
  const { private: isPrivate } = JSON.parse(readFileSync(path, "utf8")) as Manifest;
  return isPrivate === true ? [`${name} is not published`] : [];
}

/** `create capstan my-agent -- --template script`, as npm writes it; the others pass options on without the dashes. */
function checkCreate([verb, name, ...args]: readonly string[]): readonly string[] {
  if (verb !== "create" || name !== "capstan") return [`${verb} ${name}: unknown`];
  const at = args.indexOf("--template");
  if (at < 0) return [];
  const template = args[at + 1] ?? "";
  const folder = join(root, "packages/create-capstan/templates", template);
  return template !== "" && existsSync(folder) && statSync(folder).isDirectory()
    ? []
    : [`no template ${template}`];
}

const sources = new Map<string, string>();

/** Where variables are read: the source of the packages, or of the template. */
function sourceFor(page: string): string {
  const folder = projectOf(page);
  const known = sources.get(folder);
  if (known !== undefined) return known;
  const files = globSync(
    ["packages/*/src/**/*.ts", "packages/*/test/**/*.ts", `${folder}/src/*.ts`],
    {
      cwd: root,
    },
  );
  const source = files.map((path) => readFileSync(join(root, path), "utf8")).join("\n");
  sources.set(folder, source);
  return source;
}

function checkVariable(name: string, page: string): readonly string[] {
  return sourceFor(page).includes(name) ? [] : [`nothing reads ${name}`];
}

function readPage(page: string): string {
  return readFileSync(join(root, page), "utf8");
}
