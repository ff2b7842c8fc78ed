// Builds every package: declarations by tsc, one module per public entry by rolldown. Files of ours are small and
// many, and each module that Node has to find and link costs every program that imports the package.

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { basename, join } from "node:path";
import { build } from "rolldown";
import { breakLines } from "./break-lines.ts";
import { copyDocs } from "./package-docs.ts";

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | { readonly "@capstan/source": string }>>;
  readonly bin?: unknown;
}

/**
 * Chunks of a command, whose user waits until they are loaded: one that reads the command line, one for settings, one
 * for stored sessions, one for agents. What few commands need gets chunks of its own.
 */
const commandChunks = [
  { name: "start", tags: ["$initial" as const], priority: 4 },
  {
    name: "sessions",
    test: /packages\/(kernel|log)\/|stores\/src\/(sqlite|rows|text|handle|watch)\/|cli\/src\/session\/(open-store|stored-sessions)\./,
    priority: 3,
  },
  {
    name: "settings",
    test: /node_modules\/(zod|jsonc-parser)\/|cli\/src\/(config|errors|print)\/|\/run-command\.|\/load-folder\./,
    priority: 2,
  },
  {
    name: "agent",
    test: /core\/src\/(?!models\/snapshot\/)|toolset\/src\/|cli\/src\/(permissions|session)\//,
    priority: 1,
  },
].map((group) => ({ ...group, ...(group.test && { test: anySeparator(group.test) }) }));

/** Functions and classes keep their names, which stack traces and messages show. */
const keepNames = { function: true, class: true };

const root = join(import.meta.dirname, "..");
const packages = join(root, "packages");

execFileSync("tsc", ["-b", "tsconfig.build.json"], {
  cwd: root,
  stdio: "inherit",
  shell: process.platform === "win32",
});
await Promise.all(readdirSync(packages).map((name) => bundle(join(packages, name))));
copyDocs(join(packages, "core", "docs"));

async function bundle(folder: string): Promise<void> {
  const dist = join(folder, "dist");
  // Our own file: publint has checked its shape.
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
  for (const file of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
    if (/\.js(\.map)?$/.test(file)) rmSync(join(dist, file));
  }
  const { output } = await build({
    input: Object.fromEntries(
      entriesOf(manifest).map((path) => [basename(path, ".ts"), join(folder, path)]),
    ),
    external: externalOf(manifest, folder),
    platform: "node",
    resolve: {
      conditionNames: ["@capstan/source", "import", "node", "default"],
      mainFields: ["module", "main"],
    },
    output: {
      dir: dist,
      format: "esm",
      sourcemap: true,
      // Readers have the source map and the declarations. V8 parses short text faster, and text of ASCII alone at half the memory.
      comments: false,
      minify: {
        mangle: { keepNames },
        compress: { keepNames },
        codegen: { removeWhitespace: true, asciiOnly: true },
      },
      chunkFileNames: "chunks/[name].js",
      ...(manifest.name === "capstan" && { codeSplitting: { groups: commandChunks } }),
    },
  });
  for (const file of output) {
    // One that only passes names on has no map.
    if (file.type === "chunk" && file.map !== null) breakLinesOf(join(dist, file.fileName));
  }
  if (manifest.name === "capstan") {
    const modules = output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
    writeFileSync(join(dist, "licenses.txt"), licensesOf(modules));
  }
}

/**
 * Packages meet at run time, so all but the package's own files is external. A command is used by no other package: it
 * contains all packages that it does not depend on, each once.
 */
function externalOf(manifest: Manifest, folder: string): (id: string) => boolean {
  const { dependencies, peerDependencies, bin } = manifest;
  if (bin === undefined) return (id) => !id.startsWith(".") && !id.startsWith(folder);
  const names = Object.keys({ ...dependencies, ...peerDependencies });
  return (id) => isBuiltin(id) || names.some((name) => id === name || id.startsWith(`${name}/`));
}

/** Licenses of other authors' packages among the modules. They ask for a copy wherever their code is. */
function licensesOf(modules: readonly string[]): string {
  const folders = modules.flatMap(
    (id) => /^.*node_modules[\\/](@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0] ?? [],
  );
  const texts = Array.from(new Set(folders), (folder) => {
    const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
    if (file === undefined) throw new Error(`${folder} has no license that could be passed on`);
    return `${basename(folder)}\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
  });
  return texts.toSorted().join("\n---\n\n");
}

function anySeparator({ source }: RegExp): RegExp {
  return new RegExp(source.replaceAll("\\/", "[\\\\/]"));
}

function breakLinesOf(path: string): void {
  // Written by rolldown.
  const map = JSON.parse(readFileSync(`${path}.map`, "utf8")) as { readonly mappings: string };
  const { code, mappings } = breakLines({
    code: readFileSync(path, "utf8"),
    mappings: map.mappings,
  });
  writeFileSync(path, code);
  writeFileSync(`${path}.map`, JSON.stringify({ ...map, mappings }));
}

/** The sources of the public entries; of a package with a command also its main module. */
function entriesOf({ exports, bin }: Manifest): readonly string[] {
  const entries = Object.values(exports).flatMap((entry) =>
    typeof entry === "string" ? [] : [entry["@capstan/source"]],
  );
  return bin === undefined ? entries : [...entries, "src/main.ts"];
}
