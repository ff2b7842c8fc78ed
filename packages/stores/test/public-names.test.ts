import * as durableObject from "@capstan/stores/durable-object";
import * as fs from "@capstan/stores/fs";
import * as postgres from "@capstan/stores/postgres";
import * as sqlite from "@capstan/stores/sqlite";
import { expect, test } from "vitest";

test.each([
  [
    "@capstan/stores/durable-object",
    durableObject,
    ["IndexObject", "SessionObject", "durableObjectStore"],
  ],
  ["@capstan/stores/fs", fs, ["fs"]],
  ["@capstan/stores/postgres", postgres, ["databaseOf", "moveSessions", "postgres"]],
  ["@capstan/stores/sqlite", sqlite, ["sqlite"]],
])("%s exports these names and no others", (_, entry, names) => {
  expect(Object.keys(entry).toSorted()).toEqual(names);
});
