import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createHighlight, loadHighlighter } from "../../src/terminal/render/highlight.ts";
import { MarkdownLines } from "../../src/terminal/render/markdown-lines.ts";
import { finishedEnds } from "../../src/terminal/render/paragraphs.ts";
import { createTheme } from "../../src/terminal/render/theme.ts";
import { createTypesetter } from "../../src/terminal/screen/screen.ts";

const theme = createTheme("dark");
const highlighter = loadHighlighter();
const typesetter = createTypesetter(
  theme,
  createHighlight(theme, () => highlighter),
);

const piece = fc.constantFrom(
  ...["A paragraph of *text*.", "# Heading", "- one\n- two", "1. first\n\n2. second", "> quote"],
  ...[
    "```ts\nconst a = 1;\n\nlet b;\n```",
    "~~~\n```\n\nx\n~~~",
    "| a | b |\n|---|---|\n| 1 | 2 |",
  ],
  ...["- item\n\n  continued", "    indented code", "***", "`code` and [link](http://x.y)"],
);
const document = fc
  .array(piece, { minLength: 1, maxLength: 8 })
  .map((pieces) => pieces.join("\n\n"));

test("text that arrives in any pieces is laid out like the whole text", () => {
  fc.assert(
    fc.property(document, fc.array(fc.nat(400), { maxLength: 12 }), (text, cuts) => {
      const growing = new MarkdownLines(typesetter);
      for (const cut of cuts.toSorted((a, b) => a - b)) growing.of(text.slice(0, cut), 60);

      expect(growing.of(text, 60)).toEqual(new MarkdownLines(typesetter).of(text, 60));
    }),
  );
});

test("finished paragraphs are not laid out again", () => {
  const laidOut: string[] = [];
  const growing = new MarkdownLines({
    markdown: (text) => {
      laidOut.push(text);
      return [text];
    },
  });

  growing.of("One.\n\nTw", 80);
  growing.of("One.\n\nTwo.", 80);

  expect(laidOut).toEqual(["One.\n\n", "Tw", "Two."]);
});

test("an empty line inside of fenced code ends nothing", () => {
  expect(finishedEnds("```\na\n\nb\n```\n\nText")).toEqual(["```\na\n\nb\n```\n\n".length]);
});

test("no line is wider than the screen, whatever the text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 4, max: 80 }), (text, width) => {
      const widths = typesetter.wrap(text, width).map((line) => typesetter.widthOf(line));

      expect(Math.max(0, ...widths)).toBeLessThanOrEqual(width);
    }),
  );
});

test("code is coloured by its language, and its text stays", () => {
  const lines = typesetter.markdown("```ts\nconst answer = 42;\n```", 60).join("\n");

  expect(lines).toContain(theme.keyword("const"));
  expect(lines).toContain(theme.number("42"));
});

test("without colours code is plain", () => {
  const plain = createTheme("plain");
  const highlight = createHighlight(plain, () => highlighter);

  expect(highlight("const a = '<b>';", "ts")).toBe("const a = '<b>';");
});
