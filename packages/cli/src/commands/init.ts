/** `capstan init`: writes an AGENTS.md from what is in the folder. Never overwrites one. */
import { access, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { failed, reasonOf, wrongUse } from "../errors/command-error.ts";
import type { Io } from "../process/io.ts";
import { createNotes } from "../print/notes.ts";
import type { Folder } from "../session/load-folder.ts";
import type { ExitCode } from "./exit-code.ts";

/** Throws a `CommandError` if the folder has instructions already. */
export async function init(io: Io, { cwd }: Folder): Promise<ExitCode> {
  for (const name of ["AGENTS.md", "CLAUDE.md"]) {
    const path = join(cwd, name);
    if (await isThere(path)) throw wrongUse(`${path} exists already, and is left as it is.`);
  }
  const path = join(cwd, "AGENTS.md");
  const text = await describe(cwd);
  try {
    await writeFile(path, text, { flag: "wx" });
  } catch (cause) {
    throw failed(`Cannot write ${path}: ${reasonOf(cause)}.`, cause);
  }
  createNotes(io)("read it and correct it: the model is told what it says at every turn");
  io.stdout.write(`${path}\n`);
  return 0;
}

const languages: Readonly<Record<string, string>> = {
  "tsconfig.json": "TypeScript",
  "package.json": "JavaScript",
  "pyproject.toml": "Python",
  "requirements.txt": "Python",
  "go.mod": "Go",
  "Cargo.toml": "Rust",
  "pom.xml": "Java",
  "build.gradle": "Java",
  "build.gradle.kts": "Kotlin",
  Gemfile: "Ruby",
  "composer.json": "PHP",
  "Package.swift": "Swift",
};

const managers: Readonly<Record<string, string>> = {
  "pnpm-lock.yaml": "pnpm",
  "yarn.lock": "yarn",
  "bun.lock": "bun",
  "bun.lockb": "bun",
  "package-lock.json": "npm",
};

/** Commands of projects that have no scripts of their own. */
const checks: Readonly<Record<string, string>> = {
  "go.mod": "go test ./...",
  "Cargo.toml": "cargo test",
  "pom.xml": "mvn test",
};

async function describe(cwd: string): Promise<string> {
  const entries = await readdir(cwd, { withFileTypes: true });
  const names = new Set(entries.map(({ name }) => name));
  const inList = (known: Readonly<Record<string, string>>): readonly string[] =>
    Object.entries(known).flatMap(([file, meaning]) => (names.has(file) ? [meaning] : []));
  const used = [...new Set(inList(languages))];
  const shown = used.includes("TypeScript") ? used.filter((one) => one !== "JavaScript") : used;
  const [manager = "npm"] = inList(managers);
  const scripts = names.has("package.json") ? await scriptsIn(join(cwd, "package.json")) : [];
  const targets = names.has("Makefile") ? await targetsIn(join(cwd, "Makefile")) : [];
  const commands = [
    ...(names.has("package.json") ? [`${manager} install`] : []),
    ...scripts.map((script) => `${manager} run ${script}`),
    ...targets.map((target) => `make ${target}`),
    ...inList(checks),
  ];
  const folders = entries
    .filter((entry) => entry.isDirectory() && isPlain(entry.name) && entry.name !== "node_modules")
    .map(({ name }) => `- \`${name}/\`: `);
  return `# Instructions for agents

${shown.length === 0 ? "Say here what this project is." : `Languages: ${shown.join(", ")}. Say here what this project is.`}

## Commands

${commands.length === 0 ? "Say here how to build and test it." : commands.map((one) => `- \`${one}\``).join("\n")}

Run the tests after every change.

## Folders

${folders.length === 0 ? "Say here where things are." : folders.toSorted().join("\n")}

## Style

Say here what a new contributor would get wrong.
`;
}

async function scriptsIn(path: string): Promise<readonly string[]> {
  try {
    const { scripts }: { scripts?: unknown } = JSON.parse(await readFile(path, "utf8"));
    return typeof scripts === "object" && scripts !== null
      ? Object.keys(scripts).filter(isPlain).slice(0, maxCommands)
      : [];
  } catch {
    // A package.json that cannot be read has no scripts to run.
    return [];
  }
}

async function targetsIn(path: string): Promise<readonly string[]> {
  // A folder of this name has no targets.
  const text = await readFile(path, "utf8").catch(() => "");
  const found = Array.from(text.matchAll(/^([\w-]+):(?!=)/gm), ([, target = ""]) => target);
  return [...new Set(found)].slice(0, maxCommands);
}

const maxCommands = 20;

/** Names become part of instructions: no sentences, and nothing hidden. */
function isPlain(name: string): boolean {
  return /^[a-z][\w:.-]{0,39}$/i.test(name);
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
