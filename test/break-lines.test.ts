/** Minified code in lines, with a source map that fits. */
import { SourceMap } from "node:module";
import { minify } from "rolldown/utils";
import { expect, test } from "vitest";
import { breakLines } from "../scripts/break-lines.ts";

const source = `
const text = \`a;\${1};b;
 c; \${"d;"};\`;
for (let n = 0; n < 2; n += 1) { text.slice(n); text.slice(n + 1); }
function later() { const it = { a: ";" }; throw new Error(it.a + text); }
later();
`;

test("each statement has a line of its own, and the texts are as they were", async () => {
  const { code, mappings } = await minified();

  const broken = breakLines({ code, mappings });

  expect(code.split("\n")).toHaveLength(2);
  expect(broken.code.split("\n").length).toBeGreaterThan(5);
  expect(messageOf(broken.code)).toBe(messageOf(code));
  expect(messageOf(code)).toBe(";a;1;b;\n c; d;;");
});

test("the map leads from the broken lines to the source", async () => {
  const broken = breakLines(await minified());
  const lines = broken.code.split("\n");
  const line = lines.findIndex((one) => one.includes("throw"));
  const column = lines[line]?.indexOf("throw") ?? -1;

  const entry = mapOf(broken.mappings).findEntry(line, column);

  expect(entry).toMatchObject({
    originalLine: 4,
    originalColumn: source.split("\n")[4]?.indexOf("throw"),
  });
});

test("code without mappings stays as it is", () => {
  expect(breakLines({ code: "a;b;", mappings: "" })).toEqual({ code: "a;b;", mappings: "" });
});

async function minified(): Promise<{ readonly code: string; readonly mappings: string }> {
  const options = { mangle: false, compress: false, sourcemap: true };
  const { code, map } = await minify("source.js", source, options);
  return { code, mappings: map?.mappings ?? "" };
}

function mapOf(mappings: string): SourceMap {
  return new SourceMap({
    file: "",
    version: 3,
    sources: ["source.js"],
    sourcesContent: [source],
    names: [],
    mappings,
    sourceRoot: "",
  });
}

function messageOf(code: string): string {
  try {
    // oxlint-disable-next-line no-implied-eval -- the code is what is tested
    Function(code)();
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : "";
  }
  return "";
}
