import * as fc from "fast-check";
import { expect, test } from "vitest";
// No public names: the tool adds the file to them.
import { editText } from "../../src/edit/edit-text.ts";
import { unifiedDiff } from "../../src/files/unified-diff.ts";
import { applyDiff } from "../apply-diff.ts";

/** More of them on demand, as in `PROPERTY_RUNS=20000 npx vitest run …`. */
const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 500);

const piece = fc.constantFrom(
  "a",
  "b",
  "ab",
  " ",
  "  ",
  "\t",
  "\n",
  "\r\n",
  "\r",
  "ä",
  "{",
  "\ufeff",
);
const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(""));
const passage = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(""));
const edit = fc.record({ old: passage, new: passage, all: fc.boolean() });

/** Edits that can often be made: `old` is cut out of the text. */
const textAndEdits = text.chain((whole) =>
  fc.tuple(
    fc.constant(whole),
    fc.array(
      fc.oneof(
        edit,
        fc
          .tuple(fc.nat(whole.length), fc.integer({ min: 1, max: 8 }), passage, fc.boolean())
          .map(([start, length, replacement, all]) => ({
            old: whole.slice(start, start + length) || "a",
            new: replacement,
            all,
          })),
      ),
      { minLength: 1, maxLength: 4 },
    ),
  ),
);

/** What is left of a text without spaces and line ends: what loose matching may not touch. */
const bare = (value: string): string => value.replaceAll(/[\s\ufeff]/g, "");

const unixPiece = fc.constantFrom("a", "b", " ", "\t", "\n", "ä");
const unixText = fc.array(unixPiece, { maxLength: 40 }).map((pieces) => pieces.join(""));

test("an edit with one exact match changes exactly that", () => {
  fc.assert(
    fc.property(unixText, unixText, unixText, (before, after, replacement) => {
      const edited = editText(`${before}§1${after}`, [{ old: "§1", new: replacement }]);

      expect(edited).toEqual({ text: `${before}${replacement}${after}`, notes: [], count: 1 });
    }),
    { numRuns },
  );
});

test("a text with \\r\\n at every line end is edited as one with \\n, and stays what it is", () => {
  fc.assert(
    fc.property(unixText, unixText, unixText, fc.boolean(), (whole, old, replacement, all) => {
      const edits = [{ old, new: replacement, all }];

      const unix = editText(`${whole}\n`, edits);
      const windows = editText(`\ufeff${whole.replaceAll("\n", "\r\n")}\r\n`, edits);

      expect(windows.problems === undefined && windows.text).toBe(
        unix.problems === undefined && `\ufeff${unix.text.replaceAll("\n", "\r\n")}`,
      );
    }),
    { numRuns },
  );
});

test("edits are made, all of them, or there is a reason; what no edit names stays", () => {
  fc.assert(
    fc.property(textAndEdits, ([whole, edits]) => {
      const edited = editText(whole, edits);

      if (edited.problems !== undefined) {
        expect(edited.problems.length).toBeGreaterThan(0);
        return;
      }
      expect(edited.text).not.toBe(whole);
      const removed = edits.map(({ old }) => bare(old).length).reduce((sum, one) => sum + one, 0);
      const isSingle = edits.every(({ all }) => !all);
      const added = edits.map((one) => bare(one.new).length).reduce((sum, one) => sum + one, 0);
      const growth = bare(edited.text).length - bare(whole).length;
      expect(isSingle ? growth : added - removed).toBe(added - removed);
      expect(edited.text.startsWith("\ufeff") || !whole.startsWith("\ufeff")).toBe(true);
    }),
    { numRuns },
  );
});

test("a diff leads from one text to the other", () => {
  const lines = fc
    .array(fc.constantFrom("a\n", "b\n", "c\r\n", "\n", "d\n"), { maxLength: 60 })
    .chain((all) => fc.constantFrom(all.join(""), `${all.join("")}end`));
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      expect(applyDiff(before, unifiedDiff("a.txt", before, after))).toBe(after);
    }),
    { numRuns },
  );
});
