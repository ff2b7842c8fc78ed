/** Output of commands as a model reads it. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PlainOutput, withoutOverwritten } from "../src/bash/plain-output.ts";

const esc = "\u001b";

function taken(pieces: readonly string[]): string {
  const plain = new PlainOutput();
  return pieces.map((piece) => plain.take(piece)).join("") + plain.end();
}

describe("control sequences", () => {
  test.each([
    ["a color", `${esc}[1;31mred${esc}[0m!`, "red!"],
    ["a title", `${esc}]0;vim x\u0007text`, "text"],
    ["a link", `${esc}]8;;http://a.b${esc}\\here${esc}]8;;${esc}\\`, "here"],
    ["a moving cursor", `${esc}[2J${esc}[1;1Hone${esc}[K`, "one"],
    ["nothing", "plain [1m text", "plain [1m text"],
  ])("%s is taken out", (_, text, shown) => {
    expect(taken([text])).toBe(shown);
  });

  test("wherever the output is cut, the text is the same", () => {
    const parts = fc.constantFrom(
      `${esc}[31m`,
      `${esc}[0m`,
      `${esc}]0;t\u0007`,
      "a",
      "b\n",
      "\r",
      "\r\n",
      "\u00e9",
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 12 }), fc.array(fc.nat(60)), (list, cuts) => {
        const text = list.join("");
        const positions = [...cuts, 0, text.length]
          .map((at) => Math.min(at, text.length))
          .toSorted((a, b) => a - b);
        const pieces = positions.slice(1).map((at, index) => text.slice(positions[index], at));

        expect(taken(pieces)).toBe(taken([text]));
      }),
    );
  });
});

test.each([
  ["progress", "10 %\r50 %\r100 %\ndone\n", "100 %\ndone\n"],
  ["progress that ends in a return", "10 %\r100 %\r", "100 %"],
  ["line ends of Windows", "one\r\ntwo\r\n", "one\ntwo\n"],
  ["backspaces", "abc\b\bd", "ad"],
  ["plain text", "one\ntwo", "one\ntwo"],
])("%s is shown as it is in the end", (_, text, shown) => {
  expect(withoutOverwritten(text)).toBe(shown);
});
