import * as fc from "fast-check";
import { expect, test } from "vitest";
import { fromPlainText, toPlainText } from "../src/text/plain-text.ts";

/** Any sequence of UTF-16, halves of pairs among them, and much of what has to be escaped. */
const anyText = fc
  .array(
    fc.oneof(
      fc.integer({ min: 0, max: 0xff_ff }).map((unit) => String.fromCharCode(unit)),
      fc.constantFrom("\0", "\\", '"', "\\u0000", "\uD83D", "\uDE42", "🙂", "a", "'"),
    ),
  )
  .map((units) => units.join(""));

test("any text comes back, and what is stored is text that every database takes", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const plain = toPlainText(text);

      expect(fromPlainText(plain)).toBe(text);
      expect(plain.isWellFormed()).toBe(true);
      expect(plain).not.toContain("\0");
    }),
  );
});

test("usual ids are stored as they are", () => {
  const ids = ["0b5c-4f", "user:7/session 3", 'a "quoted" one', "ä🙂"];

  expect(ids.map(toPlainText)).toEqual(ids);
});
