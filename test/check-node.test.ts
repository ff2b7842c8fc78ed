import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const script = join(import.meta.dirname, "..", "scripts", "check-node.mjs");

function checkNode(version: string): { status: number | null; stderr: string } {
  return spawnSync(process.execPath, [script, version], { encoding: "utf8" });
}

test("an old Node is refused with one line that says what to do", () => {
  const { status, stderr } = checkNode("20.20.2");

  expect(status).toBe(1);
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  expect(stderr).toContain("need Node 24 or newer and this is Node 20.20.2: run `npm ci`");
});

test("Node 24 and newer are accepted in silence", () => {
  const answers = ["24.0.0", "26.1.0"].map(checkNode);

  expect(answers.map(({ status, stderr }) => [status, stderr])).toEqual([
    [0, ""],
    [0, ""],
  ]);
});
