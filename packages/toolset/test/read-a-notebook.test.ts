import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { JsonValue } from "@capstan/kernel";
import { readTool } from "@capstan/toolset";
import { callTool } from "./call-tool.ts";
import { temporaryFolder } from "./temporary-folder.ts";

async function read(content: string) {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "a.ipynb"), content);
  return callTool(readTool(), { path: "a.ipynb" }, { cwd });
}

const notebook = (...cells: JsonValue[]): string =>
  JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells });

const code = (source: JsonValue, ...outputs: JsonValue[]): JsonValue => ({
  cell_type: "code",
  source,
  outputs,
});

test("a notebook is given as its cells with their outputs", async () => {
  const output = await read(
    notebook(
      { cell_type: "markdown", source: ["# Title\n", "text"] },
      code(
        "print(1)\n1 / 0",
        { output_type: "stream", name: "stdout", text: ["1\n"] },
        { output_type: "error", traceback: ["\u001b[31mZeroDivisionError\u001b[0m: division"] },
      ),
      code("plot()", {
        output_type: "display_data",
        data: { "image/png": "aGVsbG8=", "text/plain": ["<Figure>"] },
      }),
    ),
  );

  expect(output.outputMessage.split("\n").map((line) => line.replace(/^\d+\t/, ""))).toEqual([
    "[cell 1, markdown]",
    "# Title",
    "text",
    "[cell 2, code]",
    "print(1)",
    "1 / 0",
    "[output of cell 2]",
    "1",
    "ZeroDivisionError: division",
    "[cell 3, code]",
    "plot()",
    "[output of cell 3]",
    "<Figure>",
    "(image/png is not shown.)",
    "(The cells of a notebook. The file is JSON: to change it, see the JSON with bash or grep first.)",
  ]);
  expect(output.details).toMatchObject({ seen: { version: expect.any(String) }, totalLines: 14 });
});

test("a long output is cut, and the note says by how much", async () => {
  const output = await read(
    notebook(code("x", { output_type: "stream", text: "y".repeat(5_000) })),
  );

  expect(output.outputMessage).toContain(`${"y".repeat(1_500)}\n`);
  expect(output.outputMessage).toContain("(3,500 more characters of output are not shown.)");
});

test.each([
  ["not JSON", "1\tnot JSON"],
  ['{"cells": 3}', '1\t{"cells": 3}'],
  ['{"cells": [3, {"cell_type": 1}]}', '1\t{"cells": [3, {"cell_type": 1}]}'],
])("a file that is no notebook in spite of its name is given as text: %s", async (text, shown) => {
  const output = await read(text);

  expect(output.outputMessage).toBe(shown);
});
