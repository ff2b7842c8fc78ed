import { expect, test } from "vitest";
// No public name: what commands and jobs keep of their output.
import { OutputBuffer } from "../src/bash/output-buffer.ts";

/** All parts, one after the other, as a model reads them that goes on from where it was told. */
function readInParts(buffer: OutputBuffer, maxChars: number): readonly string[] {
  const parts: string[] = [];
  for (let place = 0; place < buffer.length;) {
    const { text, next } = buffer.part(place, maxChars);
    parts.push(text);
    place = next;
  }
  return parts;
}

test("a short output is kept whole", () => {
  const buffer = new OutputBuffer(10);
  for (const character of "0123456789") buffer.push(character);

  expect(buffer.text).toBe("0123456789");
  expect(readInParts(buffer, 4)).toEqual(["0123", "4567", "89"]);
});

test("of a long one the beginning and the end are, and no part hides what is missing", () => {
  const buffer = new OutputBuffer(10);
  for (const character of "abcdefghijklmnopqrstuvwxyz") buffer.push(character);

  expect(buffer.text).toBe("abcde\n(16 characters omitted.)\nvwxyz");
  expect(readInParts(buffer, 4)).toEqual(["abcd", "e", "(16 characters omitted.)\nvwxy", "z"]);
});

test("after the end there is nothing", () => {
  const buffer = new OutputBuffer(10);
  buffer.push("abc");

  expect(buffer.part(7, 4)).toEqual({ text: "", next: 3 });
});
