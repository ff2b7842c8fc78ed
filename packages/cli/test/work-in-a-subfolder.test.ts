/** In a folder below the project's, the files of the whole project can be read. */
import { mkdir, writeFile } from "node:fs/promises";
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
