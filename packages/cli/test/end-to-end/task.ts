/** The task of the fixture project, step by step, as a model would do it. */
import type { ScriptItem } from "@capstan/testing";
import { callTool, reply, say } from "@capstan/testing";

export const prompt = "The test of the basket fails. Find the bug and fix it.";
export const answer = "The first item was left out. It counts now, and the test passes.";

const wrong = "let i = 1;";
const right = "let i = 0;";
const work = ["Find the bug", "Fix it", "Run the test"];

/** Runs the test of the project. */
const testCommand = "node --test";
/** Runs until it is killed. */
export const watchCommand = "node watch.js";

function todos(done: number): ScriptItem {
  const list = work.map((content, place) => ({
    content,
    status: place < done ? "completed" : place === done ? "in_progress" : "pending",
  }));
  return callTool("write_todos", { todos: list });
}

export function bash(command: string): ScriptItem {
  return callTool("bash", { command });
}

export const plan: ScriptItem = reply(say("I look for it first."), todos(0));
export const find: ScriptItem = callTool("grep", { pattern: "function total", path: "src" });
export const look: ScriptItem = callTool("read", { path: "src/basket.js" });
export const fix: ScriptItem = callTool("edit", {
  path: "src/basket.js",
  edits: [{ old: wrong, new: right }],
});
export const check: ScriptItem = bash(testCommand);
export const close: ScriptItem = todos(work.length);
export const tell: ScriptItem = say(answer);

/** Expected content of the file afterwards. */
export function fixed(source: string): string {
  return source.replace(wrong, right);
}

/** The rules that the task needs. */
export const allowed: readonly string[] = [
  "--allow",
  "edit(src/**)",
  "--allow",
  `bash(${testCommand})`,
];
