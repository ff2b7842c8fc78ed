import { execFileSync } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lsTool } from "@capstan/toolset";
import { callTool, complaintsAbout } from "./call-tool.ts";
import { temporaryFolder } from "./temporary-folder.ts";

test("entries come in order of name; folders, sizes and links are marked", async () => {
  const cwd = await temporaryFolder();
  await mkdir(join(cwd, "src"));
  await writeFile(join(cwd, "README.md"), "x".repeat(1234));
  await writeFile(join(cwd, "a.txt"), "abc");
  await symlink("src", join(cwd, "link"));

  const output = await callTool(lsTool(), {}, { cwd });

  expect(output).toEqual({
    ok: true,
    outputMessage: "README.md  1.2 KB\na.txt  3 B\nlink -> src\nsrc/",
    details: {
      path: ".",
      entries: [
        { name: "README.md", kind: "file", sizeBytes: 1234 },
        { name: "a.txt", kind: "file", sizeBytes: 3 },
        { name: "link", kind: "link", target: "src" },
        { name: "src", kind: "folder" },
      ],
      entryCount: 4,
    },
  });
});

test("a folder below is listed by its relative path, also with a dot or a slash around it", async () => {
  const cwd = await temporaryFolder();
  await mkdir(join(cwd, "src/deep"), { recursive: true });

  const outputs = await Promise.all(
    ["src", "./src", "src/", "src/deep/..", join(cwd, "src")].map((path) =>
      callTool(lsTool(), { path }, { cwd }),
    ),
  );

  expect(outputs.map((output) => output.outputMessage)).toEqual(Array(5).fill("deep/"));
});

test("an empty folder is said to be empty", async () => {
  const cwd = await temporaryFolder();

  const output = await callTool(lsTool(), {}, { cwd });

  expect(output).toMatchObject({ ok: true, outputMessage: "(The folder is empty.)" });
});

test("a long list comes in parts, and each part says where the next one starts", async () => {
  const cwd = await temporaryFolder();
  await Promise.all(["a", "b", "c"].map((name) => writeFile(join(cwd, name), "")));

  const first = await callTool(lsTool(), { limit: 2 }, { cwd });
  const second = await callTool(lsTool(), { limit: 2, offset: 3 }, { cwd });

  expect(first.outputMessage).toBe(
    "a  0 B\nb  0 B\n(Entries 1 to 2 of 3; continue with offset 3.)",
  );
  expect(first.details).toMatchObject({ nextOffset: 3 });
  expect(second.outputMessage).toBe("c  0 B");
  expect(second.details).not.toHaveProperty("nextOffset");
});

test("without a limit a list still stops at 1,000 entries", async () => {
  const cwd = await temporaryFolder();
  execFileSync("sh", ["-c", "seq -w 1 1500 | xargs touch"], { cwd });

  const output = await callTool(lsTool(), {}, { cwd });

  const lines = output.outputMessage.split("\n");
  expect(lines).toHaveLength(1001);
  expect(lines.at(-1)).toBe("(Entries 1 to 1000 of 1500; continue with offset 1001.)");
});

test("long names stop a list at 64 KB", async () => {
  const cwd = await temporaryFolder();
  const names = Array.from({ length: 400 }, (_, index) => `${1000 + index}${"n".repeat(240)}`);
  await Promise.all(names.map((name) => writeFile(join(cwd, name), "")));

  const output = await callTool(lsTool(), {}, { cwd });

  expect(output.outputMessage.length).toBeGreaterThan(60 * 1024);
  expect(output.outputMessage.length).toBeLessThan(65 * 1024);
  expect(output.outputMessage).toMatch(
    /\(Entries 1 to (\d+) of 400; continue with offset \d+\.\)$/,
  );
});

test("names that would look like something else are quoted", async () => {
  const cwd = await temporaryFolder();
  const names = ["two\nlines", "(note)", " space", "gap  5 B", 'quote"', "\u009bcsi", "a -> b"];
  await Promise.all(names.map((name) => writeFile(join(cwd, name), "")));

  const output = await callTool(lsTool(), {}, { cwd });

  expect(output.outputMessage.split("\n")).toEqual([
    '" space"  0 B',
    '"(note)"  0 B',
    '"a -> b"  0 B',
    '"gap  5 B"  0 B',
    '"quote\\""  0 B',
    '"two\\nlines"  0 B',
    '"\\u009bcsi"  0 B',
  ]);
});

test("a pipe is listed by name alone, a broken link with its target", async () => {
  const cwd = await temporaryFolder();
  execFileSync("sh", ["-c", "mkfifo pipe"], { cwd });
  await symlink("nowhere", join(cwd, "broken"));

  const output = await callTool(lsTool(), {}, { cwd });

  expect(output.outputMessage).toBe("broken -> nowhere\npipe");
});

test("what cannot be listed is answered with the reason", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "a.txt"), "abc");

  const missing = await callTool(lsTool(), { path: "nowhere" }, { cwd });
  const file = await callTool(lsTool(), { path: "a.txt" }, { cwd });
  const past = await callTool(lsTool(), { offset: 9 }, { cwd });

  expect(missing).toEqual({
    ok: false,
    outputMessage: "nowhere does not exist. Use ls to see which files exist.",
    details: { code: "missing" },
  });
  expect(file.outputMessage).toBe("a.txt is not a folder. Use read to read a file.");
  expect(past.outputMessage).toBe(". has no entry 9 (entries: 1). Use a smaller offset.");
});

test("an aborted call lists nothing and ends with the reason of the abort", async () => {
  const cwd = await temporaryFolder();
  const signal = AbortSignal.abort(new Error("the user left"));

  const call = callTool(lsTool(), {}, { cwd, signal });

  await expect(call).rejects.toThrow("the user left");
});

test("numbers out of range are clamped, and a note says so", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "a.txt"), "");

  const output = await callTool(lsTool(), { offset: 0, limit: 5000 }, { cwd });

  expect(output.outputMessage).toBe(
    "a.txt  0 B\n(offset is 1 instead of 0: the minimum. limit is 1000 instead of 5000: the maximum.)",
  );
});

test("every fault of an input is named at once", async () => {
  const input = { path: 42, offset: "first", limit: true, recursive: true };

  const complaints = await complaintsAbout(lsTool(), input);

  expect(complaints).toEqual([
    "Invalid input: expected string, received number",
    "offset must be a whole number",
    "limit must be a whole number",
    'Unrecognized key: "recursive"',
  ]);
});
