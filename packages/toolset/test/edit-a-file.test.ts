import { chmod, readFile, readdir, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { editTool } from "@capstan/toolset";
import type { ToolOutput } from "@capstan/kernel";
// No public names: the tool leaves no time in which a test could change the file.
import { Folder } from "../src/files/folder.ts";
import { replaceFile, statTarget } from "../src/files/replace-file.ts";
import { callTool } from "./call-tool.ts";
import { temporaryFolder } from "./temporary-folder.ts";

interface Edited {
  readonly output: ToolOutput<Record<string, unknown>>;
  readonly text: string;
  readonly cwd: string;
}

async function edit(
  text: string,
  ...edits: readonly { old: string; new: string; all?: boolean }[]
): Promise<Edited> {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "a.txt"), text);
  const output = await callTool(editTool(), { path: "a.txt", edits: [...edits] }, { cwd });
  return { output, text: await readFile(join(cwd, "a.txt"), "utf8"), cwd };
}

test("a passage is replaced, and people see the diff", async () => {
  const { output, text } = await edit("one\ntwo\nthree\n", { old: "two", new: "2" });

  expect(text).toBe("one\n2\nthree\n");
  expect(output).toEqual({
    ok: true,
    outputMessage: "Replaced 1 passage in a.txt.",
    details: {
      seen: { file: expect.any(String), version: expect.any(String) },
      path: "a.txt",
      count: 1,
      diff: "--- a.txt\n+++ a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n",
    },
  });
});

test("several edits are about the file as it was", async () => {
  const { text } = await edit("a b c", { old: "c", new: "a" }, { old: "a", new: "c" });

  expect(text).toBe("c b a");
});

test("if one edit cannot be made none is, and every reason is given", async () => {
  const { output, text } = await edit(
    "const one = 1;\nconst two = 2;\n",
    { old: "const one = 1;", new: "const one = 0;" },
    { old: "const twos = 2;", new: "" },
    { old: "const", new: "let" },
  );

  expect(text).toBe("const one = 1;\nconst two = 2;\n");
  expect(output).toMatchObject({ ok: false, details: { code: "no_match" } });
  expect(output.outputMessage).toBe(
    "a.txt was not changed.\n" +
      "Edit 2: old was not found in the file. The nearest lines are:\n2: const two = 2;\n" +
      "Edit 3: old occurs 2 times in the file (lines 1, 2). Include surrounding lines to make it unique, or set all to true.",
  );
});

test("text that was copied without the numbers of read is found, tabs included", async () => {
  const { text } = await edit("\tone\n\ttwo\n", { old: "\tone\n\ttwo", new: "\tthree" });

  expect(text).toBe("\tthree\n");
});

test("text that was copied with the numbers of read is refused, and the answer says why", async () => {
  const { text, output } = await edit("one\ntwo\n", { old: "1\tone\n2\ttwo", new: "three" });

  expect(text).toBe("one\ntwo\n");
  expect(output.outputMessage).toContain(
    "old begins with the line numbers that read adds: leave out each number and the tab after it.",
  );
});

test("text of a file that has numbers and tabs itself is replaced", async () => {
  const { text } = await edit("1\tone\n2\ttwo\n", { old: "2\ttwo", new: "2\tthree" });

  expect(text).toBe("1\tone\n2\tthree\n");
});

test("with all, every passage is replaced", async () => {
  const { text, output } = await edit("aaa b aa", { old: "aa", new: "x", all: true });

  expect(text).toBe("xa b x");
  expect(output.details).toMatchObject({ count: 2 });
});

test("a passage that overlaps itself is not there once only", async () => {
  const { text, output } = await edit("aaa", { old: "aa", new: "x" });

  expect(text).toBe("aaa");
  expect(output.outputMessage).toContain("2 times");
});

test("edits of the same place are refused", async () => {
  const { text, output } = await edit("abc", { old: "ab", new: "1" }, { old: "bc", new: "2" });

  expect(text).toBe("abc");
  expect(output.outputMessage).toContain("Edits 1 and 2 overlap.");
});

test("an edit that changes nothing is refused", async () => {
  const { output } = await edit("abc", { old: "b", new: "b" });

  expect(output.outputMessage).toContain("change nothing");
});

test("spaces at the ends of lines do not keep a passage from being found", async () => {
  const { text } = await edit("if (a) {  \n  b();\t\n}\n", {
    old: "if (a) {\n  b();\n}",
    new: "c();",
  });

  expect(text).toBe("c();\n");
});

test("a passage that is indented more in the file is found, and its replacement is indented as much", async () => {
  const { text } = await edit("f() {\n    if (a) {\n      b();\n    }\n}\n", {
    old: "if (a) {\n  b();\n}\n",
    new: "if (c) {\n\n  d();\n}\n",
  });

  expect(text).toBe("f() {\n    if (c) {\n\n      d();\n    }\n}\n");
});

test("a passage that is indented less in the file is found, and its replacement loses as much", async () => {
  const { text } = await edit("a:\n  b\nend\n", { old: "    a:\n      b", new: "    a:\n      c" });

  expect(text).toBe("a:\n  c\nend\n");
});

test("a passage with another shape of indentation is no match", async () => {
  const { text, output } = await edit("a:\n\tb\n", { old: "a:\n  b", new: "a:\n  c" });

  expect(text).toBe("a:\n\tb\n");
  expect(output.outputMessage).toContain("The nearest lines are:\n1: a:\n2: \tb");
});

test("Windows line ends and the byte order mark stay", async () => {
  const { text } = await edit(
    "\ufeffone\r\ntwo\r\nthree\r\n",
    { old: "one", new: "1\n1" },
    { old: "two\nthree", new: "2\n3" },
  );

  expect(text).toBe("\ufeff1\r\n1\r\n2\r\n3\r\n");
});

test("a line end of the other kind stays where nothing was replaced", async () => {
  const { text } = await edit("a\r\nb\nc\nd\n", { old: "c", new: "x\ny" });

  expect(text).toBe("a\r\nb\nx\ny\nd\n");
});

test("the mode stays, and no other file is left", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "run.sh"), "echo a\n");
  await chmod(join(cwd, "run.sh"), 0o751);

  await callTool(editTool(), { path: "run.sh", edits: [{ old: "a", new: "b" }] }, { cwd });

  expect((await stat(join(cwd, "run.sh"))).mode & 0o7777).toBe(0o751);
  expect(await readdir(cwd)).toEqual(["run.sh"]);
});

test("through a link its target is edited, and the link stays", async () => {
  const { cwd } = await edit("one", { old: "x", new: "y" });
  await symlink("a.txt", join(cwd, "link"));

  await callTool(editTool(), { path: "link", edits: [{ old: "one", new: "two" }] }, { cwd });

  expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("two");
  expect((await readdir(cwd, { withFileTypes: true })).find((one) => one.isSymbolicLink())).toEqual(
    expect.objectContaining({ name: "link" }),
  );
});

test.each<[encoding: string, bytes: Buffer, after: Buffer]>([
  ["Latin-1", Buffer.from("caf\u00e9 one", "latin1"), Buffer.from("caf\u00e9 tw\u00f6", "latin1")],
  [
    "UTF-16",
    Buffer.from("\ufeffcaf\u00e9 one", "utf16le"),
    Buffer.from("\ufeffcaf\u00e9 tw\u00f6", "utf16le"),
  ],
  [
    "UTF-16 BE",
    Buffer.from("\ufeffcaf\u00e9 one", "utf16le").swap16(),
    Buffer.from("\ufeffcaf\u00e9 tw\u00f6", "utf16le").swap16(),
  ],
])("a file in %s keeps its encoding", async (_, bytes, after) => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "a.txt"), bytes);

  const input = { path: "a.txt", edits: [{ old: "one", new: "tw\u00f6" }] };
  const output = await callTool(editTool(), input, { cwd });

  expect(output.ok).toBe(true);
  expect(await readFile(join(cwd, "a.txt"))).toEqual(after);
});

test("a character that the encoding of a file does not have is refused, and so is what is not text", async () => {
  const cwd = await temporaryFolder();
  const latin = Buffer.from("caf\u00e9 one", "latin1");
  const binary = Buffer.from([0x6f, 0x6e, 0x65, 0xff, 0x01]);
  await writeFile(join(cwd, "latin.txt"), latin);
  await writeFile(join(cwd, "binary"), binary);

  const [narrow, strange] = await Promise.all(
    ["latin.txt", "binary"].map((path) =>
      callTool(editTool(), { path, edits: [{ old: "one", new: "\u20ac" }] }, { cwd }),
    ),
  );

  expect(narrow).toMatchObject({
    details: { code: "binary" },
    outputMessage: expect.stringContaining('cannot hold "\u20ac"'),
  });
  expect(strange?.details).toEqual({ code: "binary" });
  expect(await readFile(join(cwd, "latin.txt"))).toEqual(latin);
  expect(await readFile(join(cwd, "binary"))).toEqual(binary);
});

test("a file that is not there is said to be missing, and its folder is not made", async () => {
  const cwd = await temporaryFolder();

  const output = await callTool(
    editTool(),
    { path: "new/a.txt", edits: [{ old: "a", new: "b" }] },
    { cwd },
  );

  expect(output.details).toEqual({ code: "missing" });
  expect(await readdir(cwd)).toEqual([]);
});

test("a file that was changed since it was looked at is left alone", async () => {
  const { cwd } = await edit("one", { old: "x", new: "y" });
  const folder = await Folder.open(cwd, ".");
  onTestFinished(() => folder.close());
  const before = await statTarget(folder, "a.txt", "a.txt");
  await writeFile(join(cwd, "a.txt"), "by another process");

  const replacing = replaceFile(folder, "a.txt", Buffer.from("two"), { before, path: "a.txt" });

  await expect(replacing).rejects.toMatchObject({ code: "changed" });
  expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("by another process");
  expect(await readdir(cwd)).toEqual(["a.txt"]);
});
