/** Composite cursors as text. */
import type { TreeCursor } from "@capstan/log";
import { formatTreeCursor, parseTreeCursor } from "@capstan/log";
import * as fc from "fast-check";
import { expect, test } from "vitest";

const count = fc.nat({ max: 999_999_999_999_999 });
const cursor = fc.record({ seq: count, n: count });
const { tree } = fc.letrec<{ tree: TreeCursor; children: Map<number, TreeCursor> }>((tie) => ({
  tree: fc.record({ cursor, children: tie("children") }),
  children: fc
    .oneof(
      { maxDepth: 4 },
      fc.constant([]),
      fc.array(fc.tuple(count, tie("tree")), { maxLength: 5 }),
    )
    .map((listed) => new Map(listed)),
}));

test("a composite cursor is the same after it was written and read", () => {
  fc.assert(
    fc.property(tree, (given) => {
      expect(parseTreeCursor(formatTreeCursor(given))).toEqual(given);
    }),
  );
});

test("it lists a cursor for each session, by the entry that started it", () => {
  const grandchild = { cursor: { seq: 5, n: 1 }, children: new Map() };
  const child = { cursor: { seq: 28, n: 0 }, children: new Map([[7, grandchild]]) };

  const text = formatTreeCursor({ cursor: { seq: 45, n: 2 }, children: new Map([[14, child]]) });

  expect(text).toBe("45.2(14:28.0(7:5.1()))");
});

test("the cursor of one session is one without a list", () => {
  expect(parseTreeCursor("12.3")).toEqual({ cursor: { seq: 12, n: 3 } });
  expect(formatTreeCursor({ cursor: { seq: 12, n: 3 } })).toBe("12.3");
});

test.each([
  ...[
    "",
    " ",
    "12",
    "12.",
    ".3",
    "12.3 ",
    "12.3(",
    "12.3)",
    "12.3()()",
    "12.3(,)",
    "-1.2",
    "1e3.2",
  ],
  ...["12.3(4)", "12.3(4:)", "12.3(4:5.6)", "12.3(4:5.6(),)", "12.3(4:5.6(),4:5.6())", "a.b()"],
  ...["1234567890123456.1", "1.1(:1.1())", "{}", "1.1(1:1.1()", "1.1(1:1.1()))", "undefined"],
])("%j is not a cursor", (text) => {
  expect(parseTreeCursor(text)).toBeUndefined();
});

test("any text is read or refused, and a text that is read is written again as it was", () => {
  const pieces = fc.constantFrom("1", "0", "23", ".", "(", ")", ",", ":");
  const texts = fc.array(pieces, { maxLength: 30 }).map((all) => all.join(""));
  fc.assert(
    fc.property(fc.oneof(texts, fc.string()), (text) => {
      const parsed = parseTreeCursor(text);
      if (parsed !== undefined && !/(^|\D)0\d/.test(text))
        expect(formatTreeCursor(parsed)).toBe(text);
    }),
  );
});

test("a text of unusual depth or length is refused, and costs no stack", () => {
  const long = `1.1(${Array.from({ length: 100_000 }, (_, seq) => `${seq}:1.1()`).join(",")})`;

  expect(parseTreeCursor(`1.1(1:1.1(1:1.1()))`)).toBeDefined();
  expect(parseTreeCursor("1.1(".padEnd(300_000, "1:1.1(") + ")".repeat(50_000))).toBeUndefined();
  expect(parseTreeCursor(long)).toBeUndefined();
});
