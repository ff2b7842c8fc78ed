import * as client from "@capstan/client";
import { expect, test } from "vitest";

test("the client exports these names and no others", () => {
  expect(Object.keys(client).toSorted()).toEqual(["ClientError", "connect", "lendTool"]);
});
