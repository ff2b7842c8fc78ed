import * as mcp from "@capstan/mcp";
import * as server from "@capstan/mcp/server";
import { expect, test } from "vitest";

test("the package exports these names and no others", () => {
  expect(Object.keys(mcp).toSorted()).toEqual([
    "McpError",
    "fileTokenStore",
    "mcpLogins",
    "mcpTools",
  ]);
});

test("the entry for servers exports these names and no others", () => {
  expect(Object.keys(server).toSorted()).toEqual(["mcpServer", "toNodeListener"]);
});
