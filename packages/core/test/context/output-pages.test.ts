import { describe, expect, test } from "vitest";
import { findIn, pageOf } from "../../src/outputs/output-pages.ts";

const text = Array.from({ length: 20 }, (_, line) => `line ${line + 1}`).join("\n");

describe("a page of an output", () => {
  test("has as many lines as fit, and says how to go on", () => {
    expect(pageOf(text, {}, 21)).toBe(
      "(Lines 1 to 3 of 20. Continue with from: 4.)\nline 1\nline 2\nline 3\n",
    );
  });

  test("goes on where the one before it ended, to the end", () => {
    expect(pageOf(text, { from: 19 }, 100)).toBe("(Lines 19 to 20 of 20.)\nline 19\nline 20");
  });

  test("ends where it is asked to", () => {
    expect(pageOf(text, { from: 2, to: 3 }, 100)).toBe(
      "(Lines 2 to 3 of 20. Continue with from: 4.)\nline 2\nline 3\n",
    );
  });

  test("is a piece of a line that does not fit, by characters and between them", () => {
    expect(pageOf("ab😀cd\nef", {}, 3)).toBe(
      "(Line 1 of 2, characters 1 to 2. Continue with from: 1, char: 3.)\nab",
    );
    expect(pageOf("ab😀cd\nef", { from: 1, char: 3 }, 3)).toBe(
      "(Line 1 of 2, characters 3 to 5. Continue with from: 1, char: 6.)\n😀c",
    );
    expect(pageOf("ab😀cd\nef", { from: 1, char: 6 }, 3)).toBe(
      "(Lines 1 to 1 of 2. Continue with from: 2.)\nd\n",
    );
  });

  test("says so where there are no such lines", () => {
    expect(pageOf(text, { from: 21 }, 100)).toBe("(There are only 20 lines.)");
  });

  test("of nothing is empty", () => {
    expect(pageOf("", {}, 100)).toBe("(Lines 1 to 1 of 1.)\n");
  });
});

describe("looking for a text", () => {
  test("shows each line that has it, with its number and those around it", () => {
    expect(findIn(text, "e 1", {}, 10_000)).toBe(
      `(Found in 11 lines of 20.)\n${[
        "1: line 1",
        "2- line 2",
        "3- line 3",
        "--",
        "8- line 8",
        "9- line 9",
        ...Array.from({ length: 10 }, (_, at) => `${at + 10}: line ${at + 10}`),
        "20- line 20",
      ].join("\n")}`,
    );
  });

  test("takes it as it is: nothing in it is a pattern", () => {
    expect(findIn("a.c\nabc", "a.c", {}, 10_000)).toBe("(Found in 1 line of 2.)\n1: a.c\n2- abc");
  });

  test("finds what goes over several lines", () => {
    expect(findIn(text, "9\nline 10\nl", {}, 10_000)).toMatch(/^\(Found in 1 line of 20.\)\n7- /);
    expect(findIn(text, "9\nline 10\nl", {}, 10_000)).toMatch(/\n9: line 9\n.*\n11- .*\n.*\n13- /);
  });

  test("shows of long lines what is around it", () => {
    const line = `${"x".repeat(1_000)}here${"y".repeat(1_000)}`;

    const found = findIn(line, "here", {}, 10_000);

    expect(found).toContain("1: (from character 851) …xxx");
    expect(found).toContain("xhereyyy");
    expect(found.length).toBeLessThan(400);
  });

  test("continues at the line that did not fit", () => {
    const many = Array.from({ length: 500 }, () => "here").join("\n");

    const first = findIn(many, "here", {}, 2_000);

    const from = Number(/from: (\d+)/.exec(first)?.[1]);
    expect(first).toMatch(/^\(Found in 500 lines of 500. The first of them are shown: go on with/);
    expect(findIn(many, "here", { from }, 2_000)).toContain(`${from}: here`);
  });

  test("says so where it is not", () => {
    expect(findIn(text, "nowhere", {}, 100)).toBe("(No match.)");
    expect(findIn(text, "line 1\n", { from: 2 }, 100)).toBe("(No match from line 2 on.)");
  });
});
