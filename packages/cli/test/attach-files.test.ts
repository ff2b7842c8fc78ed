import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { reply, say, tinyImage } from "@capstan/testing";
import { expect, test } from "vitest";
import { inputOf, temporaryFolder } from "./memory-io.ts";
import type { ScriptedRun } from "./scripted-io.ts";
import { runScripted } from "./scripted-io.ts";

/** Runs the command in a project with a few files. */
async function runWith(...argv: readonly string[]): Promise<ScriptedRun & { cwd: string }> {
  const above = await temporaryFolder();
  const cwd = join(above, "project");
  await mkdir(join(cwd, "src"), { recursive: true });
  await writeFile(join(cwd, "src/a.ts"), "const a = 1;\n");
  await writeFile(join(cwd, "shot.png"), Buffer.from(tinyImage.data, "base64"));
  await writeFile(join(cwd, "latin1.txt"), Buffer.from([0x63, 0xe9, 0x0a]));
  await writeFile(join(cwd, "large.txt"), "x".repeat(600_000));
  await writeFile(join(above, "outside.txt"), "outside\n");
  await symlink(join(above, "outside.txt"), join(cwd, "link.txt"));
  return { ...(await runScripted(argv, [reply(say("ok"))], { cwd })), cwd };
}

function sentIn({ provider }: ScriptedRun): unknown {
  const last = provider.requests[0]?.messages.at(-1);
  return last?.role === "user" ? last.content : undefined;
}

const source = { type: "text", text: '<file path="src/a.ts">\nconst a = 1;\n</file>' };

test("@path sends a text file along, with its name", async () => {
  const run = await runWith("Explain @src/a.ts.");

  expect(sentIn(run)).toEqual([{ type: "text", text: "Explain @src/a.ts." }, source]);
});

test("@path sends an image as an image", async () => {
  const run = await runWith("What is on", "@shot.png?");

  expect(sentIn(run)).toEqual([
    { type: "text", text: "What is on @shot.png?" },
    { type: "image", mediaType: "image/png", data: tinyImage.data },
  ]);
});

test("a file that is named twice is sent once", async () => {
  const run = await runWith("--attach", "src/a.ts", "@src/a.ts and @src/a.ts");

  expect(sentIn(run)).toEqual([{ type: "text", text: "@src/a.ts and @src/a.ts" }, source]);
});

test.each(["@types/node is old", "ask me@src/a.ts", "@src", "@ alone", "@missing.ts"])(
  "%j is only text",
  async (prompt) => {
    expect(sentIn(await runWith(prompt))).toBe(prompt);
  },
);

test.each(["../outside.txt", "link.txt"])(
  "@%s leads out of the project: it stays text, and a note says how to attach it",
  async (path) => {
    const run = await runWith(`See @${path}`);

    expect(sentIn(run)).toBe(`See @${path}`);
    expect(run.io.stderrText()).toContain(`use --attach ${path}\n`);
  },
);

test("--attach takes any file, also without a prompt", async () => {
  const run = await runWith("--attach", "../outside.txt");

  expect(sentIn(run)).toEqual([
    { type: "text", text: '<file path="../outside.txt">\noutside\n</file>' },
  ]);
});

test.each([
  [["--attach", "missing.txt", "x"], "Cannot attach missing.txt: "],
  [["--attach", "src", "x"], "Cannot attach src: it is not a regular file."],
  [["x @latin1.txt"], "Cannot attach latin1.txt: it is neither UTF-8 text nor PNG"],
  [["x @large.txt"], "Cannot attach large.txt: it is larger than 512 KB"],
])("%j is refused before anything is sent", async (argv, why) => {
  const { exitCode, io, provider } = await runWith(...argv);

  expect(exitCode).toBe(2);
  expect(io.stderrText()).toContain(`capstan: ${why}`);
  expect(provider.requests).toEqual([]);
});

test("piped input attaches nothing", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "a.txt"), "secret");

  const run = await runScripted([], [reply(say("ok"))], { cwd, stdin: inputOf(["Read @a.txt"]) });

  expect(sentIn(run)).toBe("Read @a.txt");
});
