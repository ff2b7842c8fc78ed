// Builds every package: declarations by tsc, one module per public entry by rolldown. Files of ours are small and
// many, and each module that Node has to find and link costs every program that imports the package.

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build } from "rolldown";
import { breakLines } from "./break-lines.ts";

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly "@capstan/source": string }>>;
  readonly bin?: unknown;
}

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
    // Everything but the package's own files: packages meet at run time.
    external: (id) => !id.startsWith(".") && !id.startsWith(folder),
    platform: "node",
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
      // What a command needs before it knows what it was asked for is one module: somebody waits for it.
      ...(manifest.bin !== undefined && {
        codeSplitting: { groups: [{ name: "start", tags: ["$initial"] }] },
      }),
    },
  });
  for (const file of output) {
    // One that only passes names on has no map.
    if (file.type === "chunk" && file.map !== null) breakLinesOf(join(dist, file.fileName));
  }
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
