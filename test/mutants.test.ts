import { expect, test } from "vitest";
import { mutantsOf } from "../scripts/mutants/mutants-of.ts";

function changed(source: string): string[] {
  return mutantsOf("source.ts", source).map(({ line, after }) => `${line}: ${after.trim()}`);
}

test("each operator of a line is changed by itself", () => {
  const source = "const isLate =\n  now > end && end !== start;";

  expect(changed(source)).toEqual([
    "2: now > end && end === start;",
    "2: now >= end && end !== start;",
    "2: now > end || end !== start;",
  ]);
});

test("a statement that changes its object is left out", () => {
  const source =
    "class Box {\n  fill() {\n    this.#count += 2;\n    await this.#inner.fill();\n  }\n}";

  expect(changed(source)).toEqual(["3: ;", "4: ;"]);
});

test.each([
  ["a comment", "f(); // a && b"],
  ["a doc comment", "/**\n * Returns true if a > b.\n */\nf();"],
  ["a string", 'f("a && b");'],
  ["the text of a template", "f(`a && b`);"],
  [
    "a type",
    "type Flag = true;\ninterface Box { readonly isFull: true }\nlet flag: true | undefined;",
  ],
  ["a type argument", "f<true>(box as Box<true>);"],
])("%s is not changed", (_, source) => {
  expect(changed(source)).toEqual([]);
});

test("an expression inside of a template is changed", () => {
  expect(changed("f(`a && ${b && c}`);")).toEqual(["1: f(`a && ${b || c}`);"]);
});
