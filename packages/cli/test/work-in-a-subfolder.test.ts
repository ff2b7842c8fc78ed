/** In a folder below the project's, the files of the whole project can be read. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { callTool, reply, say } from "@capstan/testing";
import { expect, test } from "vitest";
import { temporaryFolder } from "./memory-io.ts";
import type { ScriptedRun } from "./scripted-io.ts";
import { runScripted } from "./scripted-io.ts";

/** Reads this path in `project/sub`. */
async function reading(path: string, home?: (project: string) => string): Promise<ScriptedRun> {
  const above = await temporaryFolder();
  const project = join(above, "project");
  const cwd = join(project, "sub");
  await mkdir(cwd, { recursive: true });
  await mkdir(join(project, ".git"));
  await writeFile(join(project, "package.json"), "of the project");
  await writeFile(join(above, "secret.txt"), "above it");
  return runScripted(
    ["prompt"],
    [reply(callTool("read", { path })), reply(say("ok"))],
    home === undefined ? { cwd } : { cwd, home: home(project) },
  );
}

function resultOf({ provider }: ScriptedRun): unknown {
  return provider.requests[1]?.messages.at(-1);
}

test("a file of the project is read", async () => {
  expect(resultOf(await reading("../package.json"))).toMatchObject({
    content: "1\tof the project",
  });
});

test("a file outside of the project is refused, and the refusal names option and key", async () => {
  const result = resultOf(await reading("../../secret.txt"));

  expect(result).toMatchObject({ isError: true, content: expect.stringContaining("--root") });
  expect(result).toMatchObject({ content: expect.stringContaining("roots in the configuration") });
});

test("a home folder under version control is not opened as a project", async () => {
  const result = resultOf(await reading("../package.json", (project) => project));

  expect(result).toMatchObject({ isError: true, content: expect.stringContaining("outside") });
});

/** Writes `project/sub/a.txt`, `project/b.txt` and `project/other/c.txt` in `project/sub`, and returns the files that are there. */
async function writing(...flags: readonly string[]) {
  const project = join(await temporaryFolder(), "project");
  const cwd = join(project, "sub");
  await mkdir(cwd, { recursive: true });
  await mkdir(join(project, "other"));
  await mkdir(join(project, ".git"));
  const files = ["a.txt", "../b.txt", "../other/c.txt"];
  const calls = files.map((path) => callTool("write", { path, content: "new" }));
  const run = await runScripted(
    ["prompt", ...flags.map((flag) => flag.replace("PROJECT", project))],
    [reply(...calls), reply(say("ok"))],
    { cwd },
  );
  // A file that was not written has no text.
  const texts = await Promise.all(
    files.map((path) => readFile(join(cwd, path), "utf8").catch(() => undefined)),
  );
  return { ...run, project, written: files.filter((_, index) => texts[index] === "new") };
}

test.each(["edit", "write"])(
  "--allow %s changes files below the folder where the command was started, and none above it",
  async (rule) => {
    const { written, exitCode, io, project } = await writing("--allow", rule);

    expect(written).toEqual(["a.txt"]);
    expect(exitCode).toBe(4);
    expect(io.stderrText()).toContain(`--allow 'write(${project}/b.txt)'`);
  },
);

test.each([
  [
    ["--allow", "edit(PROJECT/**)"],
    ["a.txt", "../b.txt", "../other/c.txt"],
  ],
  [
    ["--allow", "edit", "--root", ".."],
    ["a.txt", "../b.txt", "../other/c.txt"],
  ],
  [
    ["--allow", "edit", "--root", "../other"],
    ["a.txt", "../other/c.txt"],
  ],
  [
    ["--allow", "*"],
    ["a.txt", "../b.txt", "../other/c.txt"],
  ],
])("%j opens more of the project", async (flags, files) => {
  expect((await writing(...flags)).written).toEqual(files);
});
