import { expect, test } from "vitest";
import { growAbove } from "../../src/terminal/screen/grow-above.ts";

test("lines are added above the prompt, and a line that has changed is written before it moves", () => {
  const growth = growAbove({
    before: ["one", "two", "prompt"],
    after: ["one", "two!", "three", "prompt"],
    belowCount: 1,
    cursorRow: 2,
  });

  expect(growth?.count).toBe(1);
  expect(growth?.lines).toEqual(["two!", "three", "prompt"]);
  expect(growth?.output).toContain(
    "\u001b[2;1H\u001b[2Ktwo!\u001b[1;2r\u001b[2;1H\r\nthree\u001b[r\u001b[3;1H",
  );
  expect(growth?.output).not.toContain("prompt");
});

test("more lines than the window has are all written", () => {
  const growth = growAbove({
    before: ["a", "b", "prompt"],
    after: ["a", "b", "c", "d", "e", "f", "prompt"],
    belowCount: 1,
    cursorRow: 2,
  });

  expect(growth?.lines).toEqual(["e", "f", "prompt"]);
  expect(growth?.output).toContain("\r\nc\r\nd\r\ne\r\nf");
});

test("nothing is done if no line was added, or if there is no room", () => {
  expect(
    growAbove({ before: ["a", "b", "p"], after: ["a", "x", "p"], belowCount: 1, cursorRow: 0 }),
  ).toBeUndefined();
  expect(
    growAbove({ before: ["a", "p"], after: ["a", "b", "p"], belowCount: 1, cursorRow: 0 }),
  ).toBeUndefined();
});
