import { expect, test } from "vitest";
import { cutBefore, cutHead, cutTail } from "../../src/outputs/text-cut.ts";

test.each([
  ["the first character of two units", "\u{10000}"],
  ["the last one", "\u{10ffff}"],
  ["one in between", "😀"],
])("%s is never split", (_, character) => {
  const text = `a${character}b`;

  expect(cutBefore(text, 2)).toBe(1);
  expect(cutHead(text, 2)).toBe(1);
  expect(cutTail(text, 2)).toBe(3);
});

test.each([
  ["a high half without a low one", "a\ud800b"],
  ["a high half before a character beyond the low ones", "a\ud800\ue000"],
  ["a low half after a character below the high ones", "\ud7ff\udc00b"],
  ["a low half after a character beyond the high ones", "\udc00\udc00b"],
])("%s is cut like any text", (_, text) => {
  expect([1, 2].map((position) => cutBefore(text, position))).toEqual([1, 2]);
});

test("a head ends after a line if that keeps at least half of what fits", () => {
  expect(cutHead("abc\nefghij", 8)).toBe(4);
  expect(cutHead("abc\nefghijk", 9)).toBe(9);
  expect(cutHead("abcdefg\nij", 8)).toBe(8);
});

test("a tail starts with a line if that keeps at least half of what fits", () => {
  expect(cutTail("abcdef\nhij", 6)).toBe(7);
  expect(cutTail("abcdef\nhij", 7)).toBe(3);
  expect(cutTail("abc\nefghij", 6)).toBe(4);
});

test("a text that fits is not cut", () => {
  expect(cutHead("abc", 3)).toBe(3);
  expect(cutTail("abc", 3)).toBe(0);
});
