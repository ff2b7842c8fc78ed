import { expect, describe, test } from "vitest";
import { grepTool } from "@capstan/toolset";
// No public name: what the tool looks for by itself.
import { findRipgrep } from "../src/grep/ripgrep.ts";
import { callTool } from "./call-tool.ts";
import { fileTree } from "./file-tree.ts";

const ripgrep = process.env["RIPGREP"] ?? (await findRipgrep());

const tree = {
  "a.ts": "const one = 1;\nconst two = 2;\nlet three = 3;\n",
  "src/b.ts": "import { one } from '../a.ts';\r\none();\r\nONE();\r\n",
  "src/c.md": "one and only (one)\n",
  ".hidden/d.txt": "one\n",
  ".gitignore": "*.log\n",
  "e.log": "one\n",
  ".git/config": "one\n",
  "binary.bin": Buffer.from("one\0two"),
};

describe.each([
  ["Node", false as const],
  ["ripgrep", ripgrep],
])("with %s", (_, binary) => {
  const search = test.skipIf(binary === undefined);

  async function grep(
    input: Record<string, string | number | boolean>,
    files: Record<string, string | Buffer> = tree,
  ) {
    const tool = grepTool(binary === undefined ? {} : { ripgrep: binary });
    return callTool(tool, input, { cwd: await fileTree(files) });
  }

  search(
    "lines come with path and number; ignored, binary and git's own files are passed over",
    async () => {
      const output = await grep({ pattern: "\\bone\\b" });

      expect(output).toEqual({
        ok: true,
        outputMessage: [
          ".hidden/d.txt:1: one",
          "a.ts:1: const one = 1;",
          "src/b.ts:1: import { one } from '../a.ts';",
          "src/b.ts:2: one();",
          "src/c.md:1: one and only (one)",
        ].join("\n"),
        details: { pattern: "\\bone\\b", matchCount: 5, fileCount: 4, hasMore: false },
      });
    },
  );

  search.each([
    [{ pattern: "(one)", literal: true }, "src/c.md:1: one and only (one)"],
    [{ pattern: "ONE" }, "src/b.ts:3: ONE();"],
    [{ pattern: "one();$", literal: true }, "(Nothing found.)"],
    [{ pattern: "one\\(\\);$" }, "src/b.ts:2: one();"],
    [{ pattern: "(?i)^one\\(", path: "src" }, "src/b.ts:2: one();\nsrc/b.ts:3: ONE();"],
    [{ pattern: "one", path: "src/c.md" }, "src/c.md:1: one and only (one)"],
    [{ pattern: "one", include: "*.md" }, "src/c.md:1: one and only (one)"],
    [{ pattern: "one", include: "*.ts", show: "files" }, "a.ts\nsrc/b.ts"],
    [{ pattern: "one", ignoreCase: true, path: "src", show: "count" }, "src/b.ts: 3\nsrc/c.md: 1"],
    [{ pattern: "one", include: "*.log", ignored: true }, "e.log:1: one"],
    [{ pattern: "-e" }, "(Nothing found.)"],
    [
      { pattern: "two", context: 1 },
      "a.ts-1- const one = 1;\na.ts:2: const two = 2;\na.ts-3- let three = 3;",
    ],
  ])("%o", async (input, shown) => {
    const output = await grep(input);

    expect(output.outputMessage).toBe(shown);
  });

  search("more than the limit is said to be more", async () => {
    const output = await grep({ pattern: "x", limit: 2 }, { "a.txt": "x\n".repeat(1000) });

    expect(output.outputMessage).toBe(
      "a.txt:1: x\na.txt:2: x\n(There are more than 2 matches. Narrow the search, or raise limit.)",
    );
  });

  search("an include may be absolute, and one that leads elsewhere is refused", async () => {
    const tool = grepTool(binary === undefined ? {} : { ripgrep: binary });
    const cwd = await fileTree(tree);
    const inside = await callTool(tool, { pattern: "one", include: `${cwd}/src/*.md` }, { cwd });
    const outside = await Promise.all(
      ["../**", "/etc/*.conf"].map((include) =>
        callTool(tool, { pattern: "one", include }, { cwd }),
      ),
    );

    expect(inside.outputMessage).toBe("src/c.md:1: one and only (one)");
    expect(outside.map(({ details }) => details)).toEqual([
      { code: "outside" },
      { code: "outside" },
    ]);
  });

  search("files in other encodings, with odd ends and odd names are found", async () => {
    const files = {
      "a\\b.txt": "one\n",
      "bom.txt": "\ufeffone\n",
      "cr.txt": "one\r\n\r\none\r",
      "latin.txt": Buffer.from("caf\u00e9 one\n", "latin1"),
      "utf16be.txt": Buffer.from("\ufeffone \u00e9\r\ntwo\n", "utf16le").swap16(),
      "utf16le.txt": Buffer.from("\ufefftwo\n\u20acone", "utf16le"),
    };

    const output = await grep({ pattern: "one", show: "count" }, files);

    expect(output.outputMessage.split("\n")).toEqual([
      "a\\b.txt: 1",
      "bom.txt: 1",
      "cr.txt: 2",
      "latin.txt: 1",
      "utf16be.txt: 1",
      "utf16le.txt: 1",
    ]);
  });

  search("a limit and a context out of range are clamped", async () => {
    const output = await grep({ pattern: "x", limit: "99999", context: 50 }, { "a.txt": "x\n" });

    expect(output.outputMessage).toBe(
      "a.txt:1: x\n(limit is 2000 instead of 99999: the maximum. context is 20 instead of 50: the maximum.)",
    );
  });

  search("a long line is cut", async () => {
    const output = await grep({ pattern: "x" }, { "a.txt": "x".repeat(100_000) });

    expect(output.outputMessage).toBe(`a.txt:1: ${"x".repeat(500)} …`);
  });

  search("groups of lines that do not touch are set apart", async () => {
    const output = await grep({ pattern: "x", context: 1 }, { "a.txt": "x\n1\n2\n3\nx\n" });

    expect(output.outputMessage).toBe("a.txt:1: x\na.txt-2- 1\n--\na.txt-4- 3\na.txt:5: x");
  });

  search("an expression that is none is refused with the reason", async () => {
    const output = await grep({ pattern: "(" });

    expect(output).toMatchObject({ ok: false, details: { code: "invalid_pattern" } });
  });

  search("an aborted search ends with the reason of the abort", async () => {
    const cwd = await fileTree(tree);
    const signal = AbortSignal.abort(new Error("the user left"));

    const call = callTool(
      grepTool({ ripgrep: binary ?? false }),
      { pattern: "one" },
      { cwd, signal },
    );

    await expect(call).rejects.toThrow("the user left");
  });
});

test("in Node an expression that takes for ever is stopped", async () => {
  const cwd = await fileTree({ "a.txt": `${"a".repeat(50)}!` });

  const output = await callTool(grepTool({ ripgrep: false }), { pattern: "^(a+)+$" }, { cwd });

  expect(output.outputMessage).toContain("takes too long");
});
