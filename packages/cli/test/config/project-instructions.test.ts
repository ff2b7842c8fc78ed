import { chmod, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { surroundings } from "./surroundings.ts";

const userInstructions = "home/.config/capstan/AGENTS.md";

test("AGENTS.md is read: the user's, then the project's, then those on the way to the working folder", async () => {
  const { load, root } = await surroundings({
    [userInstructions]: "user",
    "AGENTS.md": "above the project",
    "project/AGENTS.md": "project",
    "project/a/AGENTS.md": "a",
    "project/a/b/AGENTS.md": "b",
    "project/a/b/c/AGENTS.md": "below",
    "project/other/AGENTS.md": "other",
  });

  const { instructions } = await load({ cwd: "project/a/b" });

  expect(instructions).toEqual(
    [
      [userInstructions, "user"],
      ["project/AGENTS.md", "project"],
      ["project/a/AGENTS.md", "a"],
      ["project/a/b/AGENTS.md", "b"],
    ].map(([path = "", text]) => ({ path: join(root, path), text })),
  );
});

test("CLAUDE.md is read in folders without AGENTS.md, and in no other", async () => {
  const { load, root } = await surroundings({
    "project/CLAUDE.md": "claude",
    "project/a/AGENTS.md": "agents",
    "project/a/CLAUDE.md": "not read",
  });

  const { instructions } = await load({ cwd: "project/a" });

  expect(instructions).toEqual([
    { path: join(root, "project/CLAUDE.md"), text: "claude" },
    { path: join(root, "project/a/AGENTS.md"), text: "agents" },
  ]);
});

test("an AGENTS.md that is empty is left out, without a note", async () => {
  const { load } = await surroundings({ "project/AGENTS.md": " \n\n" });

  const { instructions, notes } = await load();

  expect({ instructions, notes }).toEqual({ instructions: [], notes: [] });
});

test("a long AGENTS.md is cut after 64 KB, between characters, and that is told", async () => {
  const { load, project } = await surroundings({ "project/AGENTS.md": "é".repeat(40_000) + "x" });
  const odd = await surroundings({ "project/AGENTS.md": "x" + "é".repeat(40_000) });

  const { instructions, notes } = await load();
  const [ofOdd] = (await odd.load()).instructions;

  expect(instructions[0]?.text).toBe("é".repeat(32_768));
  expect(ofOdd?.text).toBe(`x${"é".repeat(32_767)}`);
  expect(notes).toEqual([
    `${join(project, "AGENTS.md")} is larger than 64 KB: the rest is ignored.`,
  ]);
});

test("an AGENTS.md that leads out of the project, or is no text, is left out, and that is told", async () => {
  const { load, write, root, project } = await surroundings({
    "secret.txt": "secret",
    "project/docs/rules.md": "inside",
    "project/a/x": "",
    "project/a/b/AGENTS.md": Uint8Array.of(0xff, 0xfe),
  });
  await symlink("docs/rules.md", join(project, "AGENTS.md"));
  await symlink(join(root, "secret.txt"), join(project, "a/AGENTS.md"));
  await write("elsewhere.md", "mine");
  await write("home/.config/capstan/x", "");
  await symlink(join(root, "elsewhere.md"), join(root, userInstructions));

  const { instructions, notes } = await load({ cwd: "project/a/b" });

  expect(instructions.map(({ text }) => text)).toEqual(["mine", "inside"]);
  expect(notes).toEqual([
    `${join(project, "a/AGENTS.md")} is a link out of the project's folder: ignored.`,
    `${join(project, "a/b/AGENTS.md")} is not UTF-8 text: ignored.`,
  ]);
});

test("world-writable folders above the working folder are ignored", async () => {
  const { load, root } = await surroundings({
    "shared/capstan.json": { thinking: "high" },
    "shared/AGENTS.md": "anybody's",
    "shared/mine/x": "",
  });
  await chmod(join(root, "shared"), 0o1777);

  const { projectFolder, instructions, settings } = await load({ cwd: "shared/mine" });

  expect(projectFolder).toBe(join(root, "shared/mine"));
  expect(instructions).toEqual([]);
  expect(settings.thinking).toBeUndefined();
});
