import { expect, test } from "vitest";
import { toLines } from "../scripts/skipped-tests.ts";

test("skipped tests are listed by file and reason, or by a name if they give none", () => {
  const file = "a.test.ts";
  const reason = "pgbouncer is not installed";

  const lines = toLines([
    { file, name: "first", reason },
    { file, name: "second", reason },
    { file, name: "third" },
    { file, name: "fourth" },
    { file: "b.test.ts", name: "fifth", reason },
  ]);

  expect(lines).toEqual([
    "5 tests were skipped",
    "  2 in a.test.ts: pgbouncer is not installed",
    "  2 in a.test.ts: third, and others",
    "  1 in b.test.ts: pgbouncer is not installed",
  ]);
});
