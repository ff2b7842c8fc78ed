import { execFileSync } from "node:child_process";
import { chmod, link, mkdir, readFile, readdir, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeTool } from "@capstan/toolset";
import { callTool } from "./call-tool.ts";
import { temporaryFolder } from "./temporary-folder.ts";

test("a new file is made with the folders on the way", async () => {
  const cwd = await temporaryFolder();

  const output = await callTool(writeTool(), { path: "a/b/c.txt", content: "one\ntwo\n" }, { cwd });

  expect(await readFile(join(cwd, "a/b/c.txt"), "utf8")).toBe("one\ntwo\n");
  expect(output).toEqual({
    ok: true,
    outputMessage: "Created a/b/c.txt (2 lines).",
    details: {
      seen: { file: expect.any(String), version: expect.any(String) },
      path: "a/b/c.txt",
      isNew: true,
      diff: "--- a/b/c.txt\n+++ a/b/c.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n",
    },
  });
});

test("a file is replaced, its mode stays, and nothing else is left in the folder", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "run.sh"), "old\n");
  await chmod(join(cwd, "run.sh"), 0o750);

  const output = await callTool(writeTool(), { path: "run.sh", content: "new" }, { cwd });

  expect(await readFile(join(cwd, "run.sh"), "utf8")).toBe("new");
  expect((await stat(join(cwd, "run.sh"))).mode & 0o7777).toBe(0o750);
  expect(await readdir(cwd)).toEqual(["run.sh"]);
  expect(output.outputMessage).toBe("Replaced run.sh (1 line).");
  expect(output.details?.["diff"]).toContain("-old\n+new\n\\ No newline at end of file\n");
});

test("a binary file may be replaced; there is no diff then", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "a.bin"), Buffer.from([0, 255, 1]));

  const output = await callTool(writeTool(), { path: "a.bin", content: "text" }, { cwd });

  expect(output).toMatchObject({ ok: true, details: { path: "a.bin", isNew: false } });
  expect(output.details).not.toHaveProperty("diff");
});

test("another name of the same file keeps the old content: nothing is written into it", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "a.txt"), "old");
  await link(join(cwd, "a.txt"), join(cwd, "b.txt"));

  await callTool(writeTool(), { path: "a.txt", content: "new" }, { cwd });

  expect(await readFile(join(cwd, "b.txt"), "utf8")).toBe("old");
});

test("folders, pipes, broken links and files in the place of folders are refused", async () => {
  const cwd = await temporaryFolder();
  await mkdir(join(cwd, "src"));
  await writeFile(join(cwd, "a.txt"), "a");
  await symlink("nowhere", join(cwd, "broken"));
  execFileSync("sh", ["-c", "mkfifo pipe"], { cwd });

  const outputs = await Promise.all(
    ["src", ".", "pipe", "broken", "broken/x", "a.txt/b"].map((path) =>
      callTool(writeTool(), { path, content: "" }, { cwd }),
    ),
  );

  expect(outputs.map(({ details }) => details?.["code"])).toEqual([
    "wrong_kind",
    "wrong_kind",
    "wrong_kind",
    "wrong_kind",
    "missing",
    "missing",
  ]);
  expect((await readdir(cwd)).toSorted()).toEqual(["a.txt", "broken", "pipe", "src"]);
});

test("readers see the old content or the new one, and nothing between", async () => {
  const cwd = await temporaryFolder();
  const contents = ["a".repeat(300_000), "b".repeat(300_000)];
  await writeFile(join(cwd, "a.txt"), contents[0] ?? "");
  const seen = new Set<string>();
  const reading = { isOver: false };
  const read = async (): Promise<void> => {
    while (!reading.isOver) seen.add(await readFile(join(cwd, "a.txt"), "utf8"));
  };

  const reader = read();
  await Array.fromAsync({ length: 20 }, (_, index) =>
    callTool(writeTool(), { path: "a.txt", content: contents[index % 2] ?? "" }, { cwd }),
  );
  reading.isOver = true;
  await reader;

  expect([...seen].filter((text) => !contents.includes(text))).toEqual([]);
});

test("an aborted call writes nothing", async () => {
  const cwd = await temporaryFolder();
  const signal = AbortSignal.abort(new Error("the user left"));

  const call = callTool(writeTool(), { path: "a.txt", content: "a" }, { cwd, signal });

  await expect(call).rejects.toThrow("the user left");
  expect(await readdir(cwd)).toEqual([]);
});
