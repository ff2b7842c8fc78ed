/** Passages whose characters only look like those that a model writes. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { editTool } from "@capstan/toolset";
import { expect, test } from "vitest";
import { callTool } from "./call-tool.ts";
import { temporaryFolder } from "./temporary-folder.ts";

async function edited(text: string, edits: unknown) {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "a.txt"), text);
  const output = await callTool(editTool(), { path: "a.txt", edits: edits as never }, { cwd });
  return { output, text: await readFile(join(cwd, "a.txt"), "utf8") };
}

test.each<[what: string, file: string, old: string, now: string, after: string]>([
  [
    "a no-break space",
    "x\nnbsp\u00a0here one\ny",
    "nbsp here one",
    "nbsp here two",
    "x\nnbsp\u00a0here two\ny",
  ],
  ["a combined letter", "cafe\u0301 one", "caf\u00e9 one", "caf\u00e9 two", "cafe\u0301 two"],
  [
    "curly quotes",
    "say \u201chi\u201d to one",
    'say "hi" to one',
    'say "hi" to two',
    "say \u201chi\u201d to two",
  ],
  ["a dash", "1990\u20132000: one", "1990-2000: one", "1990-2000: two", "1990\u20132000: two"],
  ["an ellipsis", "wait\u2026 one", "wait... one", "wait... two", "wait\u2026 two"],
  ["a character without width", "on\u200be more", "one more", "one less", "on\u200be less"],
])(
  "%s does not stop an edit, and stays where the edit changes nothing",
  async (_, file, old, now, after) => {
    const { output, text } = await edited(file, [{ old, new: now }]);

    expect(text).toBe(after);
    expect(output.outputMessage).toMatch(/only look like those of old: ".*<U\+[0-9A-F]{4}>/s);
  },
);

test("two passages that look alike are told apart by nothing, so the edit is refused", async () => {
  const { output, text } = await edited("a\u00a0b\na\u00a0b\n", [{ old: "a b", new: "c" }]);

  expect(output.ok).toBe(false);
  expect(output.outputMessage).toContain("occurs 2 times");
  expect(text).toBe("a\u00a0b\na\u00a0b\n");
});

test("an exact passage goes before one that looks alike", async () => {
  const { text } = await edited("a\u00a0b\na b\n", [{ old: "a b", new: "c" }]);

  expect(text).toBe("a\u00a0b\nc\n");
});

test("what cannot be found is shown with the code points of characters that look alike", async () => {
  const { output } = await edited("nbsp\u00a0here\n", [{ old: "nbsp here or there", new: "x" }]);

  expect(output.outputMessage).toContain("1: nbsp<U+00A0>here");
});

test("edits as JSON text are taken, as some models send them", async () => {
  const { text } = await edited("one", JSON.stringify([{ old: "one", new: "two" }]));

  expect(text).toBe("two");
});
