import * as toolset from "@capstan/toolset";
import { expect, test } from "vitest";

test("the toolset exports these names and no others", () => {
  expect(Object.keys(toolset).toSorted()).toEqual([
    "bashKillTool",
    "bashOutputTool",
    "bashTool",
    "checkSandbox",
    "compileGlob",
    "createToolset",
    "editTool",
    "fetchTool",
    "findRipgrep",
    "globTool",
    "grepTool",
    "lsTool",
    "readOnlyTools",
    "readTool",
    "todosOf",
    "todosTool",
    "withheldNames",
    "writeTool",
  ]);
});
