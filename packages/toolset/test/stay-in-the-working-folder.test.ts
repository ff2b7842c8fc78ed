import { mkdir, readFile, readdir, rename, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { editTool, lsTool, readTool } from "@capstan/toolset";
import { callTool } from "./call-tool.ts";
import { guardedFolder } from "./guarded-folder.ts";

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

  expect(output.outputMessage).toBe("1\tinside");
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
    "The working folder no longer exists. Tell the user: no path can be used.",
  );
});

test("without a working folder the one of the process is used", async () => {
  const output = await callTool(readTool(), { path: "package.json" }, {});

  expect(output.ok).toBe(true);
});

/** Swaps the folder src for a link to the folder outside and back, until it is told to stop. */
function swapFolders(cwd: string): { stop(): Promise<void> } {
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
  return {
    async stop() {
      swapping.isOver = true;
      await swapper;
    },
  };
}

test("a folder that is swapped for a link out, again and again, gives no secret away", async () => {
  const { cwd, outside } = await guardedFolder();
  await mkdir(join(outside, "deep"));
  await writeFile(join(outside, "deep/b.txt"), "the secret");
  await symlink(outside, join(cwd, "bait"));

  const swapper = swapFolders(cwd);
  const outputs = await Array.fromAsync({ length: 2000 }, () =>
    callTool(readTool(), { path: "src/deep/b.txt" }, { cwd }),
  );
  await swapper.stop();
  const afterwards = await callTool(readTool(), { path: "src/deep/b.txt" }, { cwd });

  expect(outputs.filter(({ outputMessage }) => outputMessage.includes("the secret"))).toEqual([]);
  expect(afterwards.outputMessage).toBe("1\tinside");
});

test("nor does anything get out through it", async () => {
  const { cwd, outside } = await guardedFolder();
  await mkdir(join(outside, "deep"));
  await writeFile(join(outside, "deep/b.txt"), "inside");
  await symlink(outside, join(cwd, "bait"));
  const edits = [{ old: "inside", new: "xinside" }];

  const swapper = swapFolders(cwd);
  const outputs = await Array.fromAsync({ length: 500 }, () =>
    callTool(editTool(), { path: "src/deep/b.txt", edits }, { cwd }),
  );
  await swapper.stop();

  const done = outputs.filter(({ ok }) => ok).length;
  expect(await readFile(join(cwd, "src/deep/b.txt"), "utf8")).toBe(`${"x".repeat(done)}inside`);
  expect(await readFile(join(outside, "deep/b.txt"), "utf8")).toBe("inside");
  expect(await readdir(join(outside, "deep"))).toEqual(["b.txt"]);
  expect(await readdir(join(cwd, "src/deep"))).toEqual(["b.txt"]);
});

test("further roots may be used, by their absolute paths", async () => {
  const { cwd, outside } = await guardedFolder();
  const options = { cwd, roots: [outside] };

  const inRoot = await callTool(readTool(options), { path: join(outside, "secret.txt") }, {});
  const byLink = await callTool(readTool(options), { path: "link-out/secret.txt" }, {});
  const above = await callTool(readTool(options), { path: ".." }, {});

  expect([inRoot.outputMessage, byLink.outputMessage]).toEqual(["1\tthe secret", "1\tthe secret"]);
  expect(above.details).toEqual({ code: "outside" });
});

test("the folder that a tool was made for counts, not that of the turn", async () => {
  const { cwd, outside } = await guardedFolder();

  const output = await callTool(readTool({ cwd }), { path: "secret.txt" }, { cwd: outside });

  expect(output.details).toEqual({ code: "missing" });
});
