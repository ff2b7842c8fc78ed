import { expect, test } from "vitest";
import { looked, prompt, replyTo } from "./offline-reply.ts";

const question = prompt("What is in this folder?");
const listing = "README.md  1.2 KB\nlink -> src\npackage.json  300 B\nsrc/";
const manifest = '{ "name": "tool", "version": "1.2.3", "description": "Does things" }';

test("the first line says that no language model is connected, then the folder is listed", async () => {
  const reply = await replyTo([question]);

  expect(reply.text).toBe(
    "No language model is connected: the offline provider only looks around." +
      "\n\nI list this folder.",
  );
  expect(reply.calls).toEqual([["ls", { path: "." }]]);
  expect(reply.parts.at(-1)).toEqual({ type: "finish", reason: "tool-calls" });
});

test("the two most telling files of the listing are read next", async () => {
  const reply = await replyTo([question, ...looked("ls", ".", listing)]);

  expect(reply.text).toBe("I read README.md and package.json.");
  expect(reply.calls).toEqual([
    ["read", { path: "README.md" }],
    ["read", { path: "package.json" }],
  ]);
});

test("the summary has counts, names, the beginning of the README and the package", async () => {
  const readme =
    "# The Tool\n\n[![badge](x)](y)\n\nA tool that does\nthings. And more.\n\n## Use\n";

  const reply = await replyTo([
    question,
    ...looked("ls", ".", listing),
    ...looked("read", "README.md", readme),
    ...looked("read", "package.json", manifest),
  ]);

  expect(reply.text).toBe(
    "This folder contains 1 folder, 2 files, 1 symbolic link: README.md, link, package.json, src/.\n" +
      'README.md is titled "The Tool" and begins: A tool that does things.\n' +
      "package.json names the package tool, version 1.2.3: Does things",
  );
  expect(reply.calls).toEqual([]);
  expect(reply.parts.at(-1)).toEqual({ type: "finish", reason: "stop" });
});

test("a folder without telling files is summed up at once", async () => {
  const reply = await replyTo([question, ...looked("ls", ".", "a.txt  1 B\nb.txt  1 B")]);

  expect(reply.text).toBe("This folder contains 2 files: a.txt, b.txt.");
});

test("an empty folder is said to be empty", async () => {
  const reply = await replyTo([question, ...looked("ls", ".", "(The folder is empty.)")]);

  expect(reply.text).toBe("This folder is empty.");
});

test("a long listing is shortened, and a part of one is not taken for the whole", async () => {
  const names = Array.from({ length: 20 }, (_, index) => `file-${index + 10}  1 B`);
  const part = `${names.join("\n")}\n(Entries 1 to 20 of 90; continue with offset 21.)`;

  const reply = await replyTo([question, ...looked("ls", ".", part)]);

  expect(reply.text).toMatch(
    /^This folder contains at least 20 files: file-10, .*file-21 and 8 more\.$/,
  );
});

test("a quoted name is one name, whatever is in it", async () => {
  const reply = await replyTo([question, ...looked("ls", ".", '"a\\n -> b"  1 B\n"(c"/')]);

  expect(reply.text).toBe('This folder contains 1 folder, 1 file: "a\\n -> b", "(c"/.');
});

test("a file that cannot be read is mentioned with the reason", async () => {
  const reply = await replyTo([
    question,
    ...looked("ls", ".", listing),
    ...looked("read", "README.md", "No permission to open README.md.", true),
    ...looked("read", "package.json", "{ cut off"),
  ]);

  expect(reply.text).toContain("I could not read README.md: No permission to open README.md.");
  expect(reply.text).toContain("package.json names no package.");
});

test("a folder that cannot be listed ends the turn with the reason", async () => {
  const reply = await replyTo([question, ...looked("ls", ".", "No permission.", true)]);

  expect(reply.text).toBe(
    "I could not list this folder: No permission. There is nothing more I can look at.",
  );
  expect(reply.calls).toEqual([]);
});

test("a folder that the prompt names is listed instead", async () => {
  const asked = prompt("What is in packages/kernel?");

  const first = await replyTo([asked]);
  const second = await replyTo([asked, ...looked("ls", "packages/kernel", listing)]);

  expect(first.calls).toEqual([["ls", { path: "packages/kernel" }]]);
  expect(second.calls.at(0)).toEqual(["read", { path: "packages/kernel/README.md" }]);
});

test("words that only look like a folder lead back to the folder itself", async () => {
  const asked = prompt("Is it and/or?");

  const reply = await replyTo([asked, ...looked("ls", "and/or", "There is no and/or.", true)]);

  expect(reply.text).toBe("I could not list and/or: There is no and/or. I list this folder.");
  expect(reply.calls).toEqual([["ls", { path: "." }]]);
});

test("a question for a model is answered with what the provider cannot and can do", async () => {
  const reply = await replyTo([prompt("Why is the sky blue?")]);

  expect(reply.text.split("\n\n").slice(1)).toEqual([
    "I cannot answer this, but I can show what is in the folder.",
    "I list this folder.",
  ]);
});
