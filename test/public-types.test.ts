import { join } from "node:path";
import { expect, test } from "vitest";
import { missingTypes } from "./public-types/missing-types.ts";

const root = join(import.meta.dirname, "..");

test.each(["packages/core/src/index.ts", "packages/client/src/index.ts"])(
  "a program imports every type that the signatures of %s name from there",
  (entry) => {
    expect(missingTypes([join(root, entry)])).toEqual([]);
  },
);

test("a type that an entry does not export is found, with the signature that names it", () => {
  const missing = missingTypes([join(root, "test", "public-types", "planted", "entry.ts")]);

  expect(missing).toEqual([
    "Hidden (used by Shown)",
    "Hidden (used by make)",
    "Kept (used by make)",
  ]);
});
