/** Entry point of `npm create capstan`. */
import { readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { ask } from "./ask.ts";
import { help, readCommandLine } from "./command-line.ts";
import { createProject } from "./create-project.ts";
import { findTemplate } from "./templates.ts";

/** Resolves when the command has ended. A failure is one line on stderr and exit code 1. */
export const ended: Promise<void> = run(process.argv.slice(2)).catch((thrown: unknown) => {
  console.error((thrown as Error).message);
  process.exitCode = 1;
});

async function run(args: readonly string[]): Promise<void> {
  const { folder, template, action } = readCommandLine(args);
  if (action === "help") return console.log(help);
  const version = ownVersion();
  if (action === "version") return console.log(version);
  const choice = await choose(folder, template);
  createProject({ ...choice, version });
  console.log(nextSteps(choice.folder, choice.template.name));
}

async function choose(folder: string | undefined, template: string | undefined) {
  if (folder !== undefined && template !== undefined) {
    return { folder, template: findTemplate(template) };
  }
  if (process.stdin.isTTY) {
    return ask({ input: process.stdin, output: process.stdout }, { folder, template });
  }
  const missing = folder === undefined ? "a folder" : "a template";
  throw new Error(
    `Give ${missing}: npm create capstan my-agent -- --template script. --help lists the templates.`,
  );
}

function nextSteps(folder: string, template: string): string {
  const path = relative("", resolve(folder));
  return [
    `Created ${path === "" ? "the project" : path} from the template ${template}. Next:`,
    "",
    ...(path === "" ? [] : [`  cd ${path}`]),
    "  npm install",
    "  npm test         # needs no API key",
    "",
    "README.md says how to run it with a model.",
  ].join("\n");
}

function ownVersion(): string {
  const manifest = readFileSync(join(import.meta.dirname, "..", "package.json"), "utf8");
  // Our own file.
  return (JSON.parse(manifest) as { readonly version: string }).version;
}
