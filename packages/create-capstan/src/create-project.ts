/** Writes a project. */
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, join, resolve } from "node:path";
import type { Template } from "./templates.ts";

/** Project to create. */
export interface Project {
  readonly folder: string;
  readonly template: Template;
  /** Version of the packages that the project depends on. */
  readonly version: string;
}

interface Manifest {
  name: string;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
}

const templatesFolder = join(import.meta.dirname, "..", "templates");

/** Copies the template into the folder, which must be new or empty, and fills in its package.json. */
export function createProject({ folder, template, version }: Project): void {
  const target = resolve(folder);
  const name = projectName(target);
  checkFolder(folder, target);
  cpSync(join(templatesFolder, template.name), target, { recursive: true });
  // npm packs no file of this name.
  renameSync(join(target, "gitignore"), join(target, ".gitignore"));
  const path = join(target, "package.json");
  // A file of the template, tried by a test.
  const manifest = JSON.parse(readFileSync(path, "utf8")) as Manifest;
  manifest.name = name;
  for (const packages of [manifest.dependencies, manifest.devDependencies]) {
    for (const one of Object.keys(packages)) {
      if (one.startsWith("@capstan/")) packages[one] = version;
    }
  }
  writeFileSync(path, `${JSON.stringify(manifest, undefined, 2)}\n`);
}

/** Returns the package name of a folder. Throws if npm would refuse it. */
export function projectName(folder: string): string {
  const name = basename(resolve(folder));
  if (/^[a-z0-9][a-z0-9._-]{0,213}$/.test(name)) return name;
  throw new Error(
    `"${name}" cannot be the name of a package: use lower-case letters, digits, dots and dashes, and begin with a letter or a digit.`,
  );
}

function checkFolder(shown: string, target: string): void {
  if (!existsSync(target)) return;
  if (!statSync(target).isDirectory()) throw new Error(`"${shown}" is a file, not a folder.`);
  const files = readdirSync(target).filter((file) => file !== ".git");
  if (files.length > 0) {
    throw new Error(`The folder "${shown}" is not empty: it has ${files[0]}. Choose a new folder.`);
  }
}
