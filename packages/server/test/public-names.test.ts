import * as server from "@capstan/server";
import * as node from "@capstan/server/node";
import { expect, test } from "vitest";

test.each([
  ["@capstan/server", server, ["Server", "ServerError", "bearerTokens", "createServer"]],
  ["@capstan/server/node", node, ["serveNode", "toNodeHandler"]],
])("%s exports these names and no others", (_, entry, names) => {
  expect(Object.keys(entry).toSorted()).toEqual(names);
});
