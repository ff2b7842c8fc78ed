import { execFileSync } from "node:child_process";
import { mkdir, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readTool } from "@capstan/toolset";
import { callTool, complaintsAbout } from "./call-tool.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const seen: unknown = { file: expect.any(String), version: expect.any(String) };

test("a short file is given with the numbers of its lines", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "a.txt"), "one\r\ntwo\nthrée");

  const output = await callTool(readTool(), { path: "a.txt" }, { cwd });

  expect(output).toEqual({
    ok: true,
    outputMessage: "1\tone\r\n2\ttwo\n3\tthrée",
    details: { path: "a.txt", seen, firstLine: 1, lastLine: 3, totalLines: 3 },
  });
});

test("an empty file is said to be empty", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "a.txt"), "");

  const output = await callTool(readTool(), { path: "a.txt" }, { cwd });

  expect(output).toEqual({
    ok: true,
    outputMessage: "(The file is empty.)",
    details: { path: "a.txt", seen },
  });
});

test("offset and limit give a window, and the note says how to go on", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "a.txt"), "1\n2\n3\n4\n5\n");

  const middle = await callTool(readTool(), { path: "a.txt", offset: 2, limit: 2 }, { cwd });
  const end = await callTool(readTool(), { path: "a.txt", offset: 4, limit: 2 }, { cwd });

  expect(middle.outputMessage).toBe("2\t2\n3\t3\n(Lines 2 to 3 of 5; continue with offset 4.)");
  expect(middle.details).toEqual({
    path: "a.txt",
    seen,
    firstLine: 2,
    lastLine: 3,
    totalLines: 5,
    nextOffset: 4,
  });
  expect(end.outputMessage).toBe("4\t4\n5\t5\n");
  expect(end.details).toEqual({ path: "a.txt", seen, firstLine: 4, lastLine: 5, totalLines: 5 });
});

test("reading on by the notes gives the whole file, in parts of 2,000 lines", async () => {
  const cwd = await temporaryFolder();
  const lines = Array.from({ length: 4500 }, (_, index) => `line ${index + 1}`);
  await writeFile(join(cwd, "a.txt"), lines.join("\n"));

  const offsets = [1, 2001, 4001];
  const outputs = await Promise.all(
    offsets.map((offset) => callTool(readTool(), { path: "a.txt", offset }, { cwd })),
  );

  const parts = outputs.map(({ outputMessage }) =>
    outputMessage.replace(/\(Lines .*\)$/, "").replaceAll(/^\d+\t/gm, ""),
  );
  expect(outputs.map(({ details }) => details?.["nextOffset"])).toEqual([2001, 4001, undefined]);
  expect(parts.join("")).toBe(lines.join("\n"));
});

test("wide lines stop a part at 64 KB, between two lines", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "a.txt"), `${"ä".repeat(500)}\n`.repeat(200));

  const output = await callTool(readTool(), { path: "a.txt" }, { cwd });

  expect(output.details).toMatchObject({ firstLine: 1, lastLine: 66, nextOffset: 67 });
  const lines = Array.from({ length: 66 }, (_, index) => `${index + 1}\t${"ä".repeat(500)}\n`);
  expect(output.outputMessage).toBe(
    `${lines.join("")}(Lines 1 to 66 of 200; continue with offset 67.)`,
  );
});

test("a line of more than 2,000 bytes is cut between two characters, and the note says so", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "a.txt"), `x${"ä".repeat(200_000)}\nnext`);

  const output = await callTool(readTool(), { path: "a.txt" }, { cwd });

  expect(output.outputMessage).toBe(
    `1\tx${"ä".repeat(999)}\n2\tnext\n(Line 1 is truncated after 2000 bytes.)`,
  );
});

test("a window at the end of a large file is read in bounded memory", async () => {
  const cwd = await temporaryFolder();
  execFileSync("sh", ["-c", "yes 0123456789abcdef | head -n 4000000 > big.txt"], { cwd });
  const before = process.memoryUsage.rss();

  const output = await callTool(readTool(), { path: "big.txt", offset: 3_999_999 }, { cwd });

  expect(output.outputMessage).toBe("3999999\t0123456789abcdef\n4000000\t0123456789abcdef\n");
  expect(process.memoryUsage.rss() - before).toBeLessThan(40 * 1024 * 1024);
});

test("an offset after the last line is answered with the number of lines", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "with.txt"), "1\n2\n");
  await writeFile(join(cwd, "without.txt"), "1\n2");

  const outputs = await Promise.all(
    ["with.txt", "without.txt"].map((path) => callTool(readTool(), { path, offset: 3 }, { cwd })),
  );

  expect(outputs.map(({ ok, outputMessage }) => [ok, outputMessage])).toEqual([
    [false, "with.txt has no line 3 (lines: 2). Use a smaller offset."],
    [false, "without.txt has no line 3 (lines: 2). Use a smaller offset."],
  ]);
});

test("a binary file is refused", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "a.bin"), Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0x00, 0x01]));

  const output = await callTool(readTool(), { path: "a.bin" }, { cwd });

  expect(output).toEqual({
    ok: false,
    outputMessage:
      "a.bin is not a text file: it contains NUL bytes. Only text, images (PNG, JPEG, GIF, WebP) and PDFs can be read.",
    details: { code: "binary" },
  });
});

test("bytes that are no UTF-8 are read one by one, as in Latin-1", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "latin.txt"), Buffer.from("caf\u00e9\n", "latin1"));

  const output = await callTool(readTool(), { path: "latin.txt" }, { cwd });

  expect(output.outputMessage).toBe("1\tcaf\u00e9\n");
});

test("missing files, folders and pipes are answered with the reason", async () => {
  const cwd = await temporaryFolder();
  await mkdir(join(cwd, "src"));
  await writeFile(join(cwd, "a.txt"), "");
  await symlink("loop", join(cwd, "loop"));
  execFileSync("sh", ["-c", "mkfifo pipe"], { cwd });

  const outputs = await Promise.all(
    ["nowhere.txt", "a.txt/b", "src", "pipe", "loop"].map((path) =>
      callTool(readTool(), { path }, { cwd }),
    ),
  );

  expect(outputs.every(({ ok }) => !ok)).toBe(true);
  expect(outputs.map(({ outputMessage }) => outputMessage)).toEqual([
    "nowhere.txt does not exist. Use ls to see which files exist.",
    "a.txt/b does not exist. Use ls to see which files exist.",
    "src is a folder. Use ls to list it.",
    "pipe is not a regular file. Use another path.",
    "loop is a circular symbolic link. Use another path.",
  ]);
});

test("an abort ends the search for a far line", async () => {
  const cwd = await temporaryFolder();
  execFileSync("sh", ["-c", "yes | head -c 20000000 > big.txt"], { cwd });
  const controller = new AbortController();

  const call = callTool(
    readTool(),
    { path: "big.txt", offset: 1_000_000_000 },
    { cwd, signal: controller.signal },
  );
  setImmediate(() => controller.abort(new Error("the user left")));

  await expect(call).rejects.toThrow("the user left");
});

test("wrong, unknown and missing fields are refused", async () => {
  const inputs = [
    {},
    { path: "" },
    { path: null, offset: "first" },
    { path: "a", limit: true },
    { path: "a", offset: [2] },
    { file_path: "a", path: "a" },
    { path: "x".repeat(5000) },
  ];

  const complaints = await Promise.all(inputs.map((input) => complaintsAbout(readTool(), input)));

  expect(complaints.map(({ length }) => length)).toEqual([1, 1, 2, 1, 1, 1, 1]);
});

test.each([
  [{ limit: 5000 }, "1\t1\n2\t2\n3\t3\n(limit is 2000 instead of 5000: the maximum.)"],
  [{ offset: "2" }, "2\t2\n3\t3\n"],
  [{ offset: 0 }, "1\t1\n2\t2\n3\t3\n(offset is 1 instead of 0: the minimum.)"],
  [
    { offset: 2.7, limit: "-4" },
    "2\t2\n(offset is 2 instead of 2.7: a whole number. limit is 1 instead of -4: the minimum. Lines 2 to 2 of 3; continue with offset 3.)",
  ],
  [{ offset: null }, "1\t1\n2\t2\n3\t3\n"],
])("a number out of range is clamped, and the note says so: %o", async (numbers, shown) => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "a.txt"), "1\n2\n3\n");

  const output = await callTool(readTool(), { path: "a.txt", ...numbers }, { cwd });

  expect(output.outputMessage).toBe(shown);
});

test("a sparse file of a terabyte is refused at its first bytes", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "sparse"), "");
  await truncate(join(cwd, "sparse"), 2 ** 40);

  const output = await callTool(readTool(), { path: "sparse" }, { cwd });

  expect(output.details).toEqual({ code: "binary" });
});
