import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");

function checkBudget(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const script = join(root, "scripts", "type-budget.ts");
  return spawnSync(process.execPath, [script, ...args], { cwd: root, encoding: "utf8" });
}

test("the types of an agent with thirty tools stay within their budget", () => {
  const { status, stderr } = checkBudget();

  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});

test("a type that explodes is over the budget, and the message says what grew and by how much", () => {
  const { status, stderr } = checkBudget("exploding");

  expect(status).toBe(1);
  expect(stderr).toMatch(/^Types are over their budget by \d+ \(\d+ %\): \d+, at most \d+\.$/m);
  expect(stderr).toMatch(/^Instantiations are over their budget by /m);
});
