import { globTool, grepTool, lsTool } from "@capstan/toolset";
import type { WorkspaceOptions } from "@capstan/toolset";
import { basename } from "node:path";
import { expect, test } from "vitest";
import { callTool } from "./call-tool.ts";
import { fileTree } from "./file-tree.ts";

const files = { "a.txt": "S=1\n", ".env": "S=2\n", "sub/.env": "S=3\n" };
const options: WorkspaceOptions = { isHidden: (path) => basename(path) === ".env" };

test.each([
  ["ls", lsTool(options), {}, "a.txt  4 B\nsub/"],
  ["glob", globTool(options), { pattern: "**" }, "a.txt"],
  ["grep", grepTool(options), { pattern: "S=" }, "a.txt:1: S=1"],
  ["grep in Node", grepTool({ ...options, ripgrep: false }), { pattern: "S=" }, "a.txt:1: S=1"],
])("%s does not show hidden files, in whatever folder", async (_, tool, input, shown) => {
  const cwd = await fileTree(files);

  const output = await callTool(tool, input, { cwd });

  expect(output.outputMessage).toBe(shown);
});
