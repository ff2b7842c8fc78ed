import { mkdir, rename, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { lsTool, readTool } from "@capstan/toolset";
import { callTool } from "./call-tool.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** A working folder with ways out of it, next to a folder with a secret. */
async function guardedFolder(): Promise<{ cwd: string; outside: string }> {
  const base = await temporaryFolder();
  const [cwd, outside] = [join(base, "work"), join(base, "work-outside")];
  await mkdir(join(cwd, "src"), { recursive: true });
  await mkdir(outside);
  await writeFile(join(outside, "secret.txt"), "the secret");
  await writeFile(join(cwd, "src/a.txt"), "inside");
  await symlink(outside, join(cwd, "link-out"));
  await symlink("../../work-outside/secret.txt", join(cwd, "src/secret-link"));
  await symlink("src", join(cwd, "link-in"));
  return { cwd, outside };
}

test("no spelling of a path reads or lists what is outside", async () => {
  const { cwd, outside } = await guardedFolder();
  const paths = [
    "..",
    "../work-outside/secret.txt",
    "src/../../work-outside/secret.txt",
    join(outside, "secret.txt"),
    "/etc/passwd",
    "/",
    "link-out",
    "link-out/secret.txt",
    "src/secret-link",
    "link-in/secret-link",
  ];
  const tools = [lsTool(), readTool()];

  const outputs = await Promise.all(
    tools.flatMap((tool) => paths.map((path) => callTool(tool, { path }, { cwd }))),
  );

  expect(outputs.map(({ details }) => details)).toEqual(
    paths.concat(paths).map(() => ({ code: "outside" })),
  );
  expect(JSON.stringify(outputs)).not.toContain("the secret");
  expect(outputs[0]?.outputMessage).toBe(
    '.. is outside the working folder. Only paths inside it can be used; "." is the folder itself.',
  );
});

test("two dots after a link lead back to where the link is, not to where it points", async () => {
  const { cwd } = await guardedFolder();

  const output = await callTool(lsTool(), { path: "link-out/.." }, { cwd });

  expect(output.outputMessage).toBe(`link-in -> src\nlink-out -> ${cwd}-outside\nsrc/`);
});

test("what is outside is refused alike whether it exists or not", async () => {
  const { cwd } = await guardedFolder();
  const paths = ["../nothing", "link-out/nothing", "link-out/nothing/at/all", "/nothing-at-all"];

  const outputs = await Promise.all(paths.map((path) => callTool(readTool(), { path }, { cwd })));

  expect(outputs.map(({ details }) => details)).toEqual(paths.map(() => ({ code: "outside" })));
});

test("a link that stays inside may be followed", async () => {
  const { cwd } = await guardedFolder();

  const output = await callTool(readTool(), { path: "link-in/a.txt" }, { cwd });

  expect(output.outputMessage).toBe("inside");
});

test("a working folder that is itself reached by a link is no way out and no obstacle", async () => {
  const { cwd } = await guardedFolder();
  const linked = `${cwd}-link`;
  await symlink(basename(cwd), linked);
  const paths = ["src/a.txt", join(linked, "src/a.txt"), join(cwd, "src/a.txt"), "../work-outside"];

  const outputs = await Promise.all(
    paths.map((path) => callTool(readTool(), { path }, { cwd: linked })),
  );

  expect(outputs.map(({ ok }) => ok)).toEqual([true, true, true, false]);
});

test("a NUL character in a path is refused", async () => {
  const { cwd } = await guardedFolder();

  const output = await callTool(readTool(), { path: "src/a.txt\0.png" }, { cwd });

  expect(output).toMatchObject({ ok: false, details: { code: "missing" } });
});

test("a working folder that is gone is said to be gone", async () => {
  const { cwd } = await guardedFolder();

  const output = await callTool(lsTool(), {}, { cwd: join(cwd, "gone") });

  expect(output.outputMessage).toBe(
    "The working folder is not there any more. Tell the user: no path can be used.",
  );
});

test("without a working folder the one of the process is used", async () => {
  const output = await callTool(readTool(), { path: "package.json" }, {});

  expect(output.ok).toBe(true);
});

test("a folder that is swapped for a link out, again and again, gives no secret away", async () => {
  const { cwd, outside } = await guardedFolder();
  await writeFile(join(outside, "a.txt"), "the secret");
  await symlink(outside, join(cwd, "bait"));
  const swapping = { isOver: false };
  const swap = async (): Promise<void> => {
    while (!swapping.isOver) {
      await rename(join(cwd, "src"), join(cwd, "aside"));
      await rename(join(cwd, "bait"), join(cwd, "src"));
      await rename(join(cwd, "src"), join(cwd, "bait"));
      await rename(join(cwd, "aside"), join(cwd, "src"));
    }
  };

  const swapper = swap();
  const outputs = await Array.fromAsync({ length: 2000 }, () =>
    callTool(readTool(), { path: "src/a.txt" }, { cwd }),
  );
  swapping.isOver = true;
  await swapper;
  const afterwards = await callTool(readTool(), { path: "src/a.txt" }, { cwd });

  expect(outputs.filter(({ outputMessage }) => outputMessage === "the secret")).toEqual([]);
  expect(afterwards.outputMessage).toBe("inside");
});
