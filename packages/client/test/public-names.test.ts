import * as client from "@capstan/client";
import * as react from "@capstan/client/react";
import { expect, test } from "vitest";

test("the client exports these names and no others", () => {
  expect(Object.keys(client).toSorted()).toEqual(["ClientError", "connect", "lendTool"]);
});

test("the part for React exports these names and no others", () => {
  expect(Object.keys(react).toSorted()).toEqual(["useSession"]);
});
