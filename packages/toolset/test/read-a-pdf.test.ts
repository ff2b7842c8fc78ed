import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readTool } from "@capstan/toolset";
import { callTool } from "./call-tool.ts";
import { pdfFile } from "./pdf-file.ts";
import { temporaryFolder } from "./temporary-folder.ts";

async function read(file: Buffer, input: Record<string, number> = {}) {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "a.pdf"), file);
  return callTool(readTool(), { path: "a.pdf", ...input }, { cwd });
}

test("a PDF is given as the text of its pages", async () => {
  const output = await read(pdfFile(["Hello PDF\nsecond line", "last page"]));

  expect(output.ok).toBe(true);
  expect(output.outputMessage).toBe(
    "1\t[page 1 of 2]\n2\tHello PDF\n3\tsecond line\n4\t[page 2 of 2]\n5\tlast page\n",
  );
  expect(output.details).toEqual({ path: "a.pdf", firstLine: 1, lastLine: 5, totalLines: 5 });
});

test("offset and limit are about the lines of that text", async () => {
  const output = await read(pdfFile(["one\ntwo\nthree"]), { offset: 3, limit: 1 });

  expect(output.outputMessage).toBe("3\ttwo\n(Lines 3 to 3 of 4; continue with offset 4.)");
});

test("a PDF without text says so", async () => {
  const output = await read(pdfFile(["", ""]));

  expect(output).toMatchObject({
    ok: true,
    outputMessage:
      "(a.pdf has 2 pages without text, such as scanned ones. Only the text of a PDF can be read: convert the pages to images with bash to see them.)",
  });
});

test("a damaged PDF is refused with the reason", async () => {
  const output = await read(Buffer.from("%PDF-1.4\nnothing of it is left\n"));

  expect(output).toMatchObject({ ok: false, details: { code: "unreadable" } });
  expect(output.outputMessage).toContain("a.pdf cannot be read as a PDF");
});

test("an aborted call ends with the reason of the abort while the PDF is read", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "a.pdf"), pdfFile(["text"]));
  const controller = new AbortController();

  const call = callTool(readTool(), { path: "a.pdf" }, { cwd, signal: controller.signal });
  setImmediate(() => controller.abort(new Error("the user left")));

  await expect(call).rejects.toThrow("the user left");
});
