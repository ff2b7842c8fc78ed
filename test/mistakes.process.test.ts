import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { longer, mistakes, prelude } from "./mistakes/mistakes.ts";

const root = join(import.meta.dirname, "..");
const programs = Object.entries({ ...mistakes, ...longer });
const folder = mkdtempSync(join(tmpdir(), "capstan-mistakes-"));
/** Lines of the messages, by program. */
const messages = new Map<string, string[]>();

/** Compiles all programs at once, against the declarations that users get. */
beforeAll(() => {
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "junction");
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  const files = ["right", ...programs.keys().map((index) => `m${index}`)].map(
    (name) => `${name}.ts`,
  );
  writeFileSync(join(folder, "right.ts"), prelude);
  for (const [index, [, line]] of programs.entries()) {
    writeFileSync(join(folder, `m${index}.ts`), `${prelude}${line}\n`);
  }
  tsc(root, ["-b", "tsconfig.build.json"]);
  const output = tsc(folder, [
    ...["--ignoreConfig", "--noEmit", "--pretty", "false", "--strict", "--skipLibCheck"],
    ...["--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--target", "esnext"],
    ...["--module", "nodenext", "--lib", "esnext", "--types", "node", ...files],
  ]);
  let program = "";
  for (const line of output.split("\n").filter((text) => text !== "")) {
    program = /^(\w+)\.ts\(/.exec(line)?.[1] ?? program;
    messages.set(program, [...(messages.get(program) ?? []), line]);
  }
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function tsc(cwd: string, args: readonly string[]): string {
  const script = join(root, "node_modules", "typescript", "bin", "tsc");
  const { stdout, error } = spawnSync(process.execPath, [script, ...args], {
    cwd,
    encoding: "utf8",
  });
  if (error !== undefined) throw error;
  return stdout;
}

test("the program without a mistake compiles", () => {
  expect(messages.get("right")).toBeUndefined();
});

test.each(programs.map(([what], index) => [what, index] as const))(
  "%s: the compiler says so in a few lines",
  (what, index) => {
    const lines = messages.get(`m${index}`) ?? [];

    const lineNumber = prelude.split("\n").length;
    const start = new RegExp(`^m${index}\\.ts\\(${lineNumber},\\d+\\): error TS\\d+`);
    expect(lines.join("\n")).toMatch(start);
    expect(lines.filter((text) => text.includes("error TS"))).toHaveLength(1);
    expect(lines.length).toBeLessThanOrEqual(what in longer ? 6 : 3);
  },
);
