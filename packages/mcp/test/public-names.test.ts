import * as mcp from "@capstan/mcp";
import { expect, test } from "vitest";

test("the package exports these names and no others", () => {
  expect(Object.keys(mcp).toSorted()).toEqual([
    "McpError",
    "fileTokenStore",
    "mcpLogins",
    "mcpTools",
  ]);
});
