/** The parsed words of a command are what bash runs. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { CommandPattern } from "../../src/permissions/command-pattern.ts";
import { fitsAnywhere } from "../../src/permissions/command-pattern.ts";
import { parseSimpleCommand } from "../../src/permissions/simple-command.ts";
import { realBash } from "./real-bash.ts";

/** More of them on demand, as in `PROPERTY_RUNS=20000 npx vitest run …`. */
const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 200);

// No slash: a name with one is looked for as a file, and not written down. No loops: they would never end.
const plain = [
  "a",
  "b",
  "c",
  "-a",
  "--b=c",
  "=",
  "a=b",
  "+=",
  ":",
  "%",
  "@",
  ",",
  ".",
  "1",
  "HEAD^",
  "]",
];
const marks = [
  "'",
  '"',
  "\\",
  "$",
  "`",
  "~",
  "#",
  "!",
  "*",
  "?",
  "[",
  "{",
  "}",
  "{a,b}",
  "$'",
  '$"',
  "\\\n",
];
const operators = [
  ";",
  "&",
  "&&",
  "||",
  "|",
  "|&",
  "(",
  ")",
  "<",
  ">",
  ">>",
  "<<<",
  "<(",
  "$(",
  "$((",
  "${a}",
  "2>&1",
  "&>",
  "\n",
  "<<",
];
const reserved = [
  "if",
  "then",
  "fi",
  "else",
  "time",
  "coproc",
  "[[",
  "]]",
  "case",
  "in",
  "esac",
  "for",
  "do",
  "done",
];
const odd = ["\t", " ", "\u00a0", "\u2003", "é", "\r", "\u0001", "\u007f", "\u2028"];

const spaced = (words: readonly string[]): fc.Arbitrary<string> =>
  fc.constantFrom(...words).chain((word) => fc.constantFrom(word, `${word} `, ` ${word}`));
const quoted = fc
  .array(fc.constantFrom(...plain, ...marks.filter((mark) => mark !== "'"), " ", ";", "é"), {
    maxLength: 4,
  })
  .chain((pieces) => fc.constantFrom(`'${pieces.join("")}'`, `"${pieces.join("")}"`));
const nearlySimple = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: spaced(plain) },
      { weight: 3, arbitrary: quoted },
      { weight: 3, arbitrary: spaced(marks) },
      { weight: 1, arbitrary: spaced([...reserved, ...odd]) },
      { weight: 1, arbitrary: spaced(operators) },
    ),
    { maxLength: 8 },
  )
  .map((pieces) => pieces.join(""));

test("what is read as one simple command is one for bash, with the same words", () => {
  const bash = realBash();

  fc.assert(
    fc.property(nearlySimple, fc.constantFrom("C", "C.UTF-8"), (command, locale) => {
      const words = parseSimpleCommand(command);
      fc.pre(words !== undefined);

      expect(bash.run(command, locale)).toEqual([words]);
    }),
    { numRuns, maxSkipsPerRun: 100 },
  );
});

test("words in quotes are read as bash reads them", () => {
  const bash = realBash();
  const word = fc
    .array(fc.constantFrom(...plain, ...marks, ...operators, ...reserved, " ", "é", "\t"), {
      maxLength: 4,
    })
    .map((pieces) => pieces.join("").replaceAll("\n", ""));
  const words = fc.tuple(fc.constantFrom("a", "if", "b c", ""), fc.array(word, { maxLength: 4 }));

  fc.assert(
    fc.property(words, ([first, others]) => {
      const all = [first, ...others];
      const command = all.map((one) => `'${one.replaceAll("'", "'\\''")}'`).join(" ");

      expect(parseSimpleCommand(command)).toEqual(all);
      expect(bash.run(command)).toEqual([all]);
    }),
    { numRuns },
  );
});

const script = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: spaced(plain) },
      { weight: 4, arbitrary: spaced(operators) },
      { weight: 2, arbitrary: quoted },
      { weight: 2, arbitrary: spaced(marks) },
      { weight: 2, arbitrary: spaced(reserved).map((word) => ` ${word} `) },
    ),
    { maxLength: 12 },
  )
  .map((pieces) => pieces.join(""))
  // A function may call itself for ever.
  .filter((text) => !/\([\s\\]*\)/.test(text));

/** Scripts that bash is sure to take: the ways to hide a command in another one, nested. */
const nested = fc.letrec<{ script: string }>((tie) => ({
  script: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(
      "a",
      "a b",
      "b 'c d'",
      'a "b"',
      "x=1 a b",
      "a 2>&1 b",
      ">f a b",
      "a &>f b",
      "\\a b",
      "a \\\nb",
    ),
    fc
      .tuple(tie("script"), fc.constantFrom(";", "&&", "||", "|", "&", "\n", " |& "), tie("script"))
      .map((all) => all.join(" ")),
    tie("script").chain((inner) =>
      fc.constantFrom(
        `(${inner})`,
        `{ ${inner}\n}`,
        `a $(${inner})`,
        `a "$(${inner})"`,
        `x=$(${inner}) b`,
        `a <(${inner})`,
        `a > >(${inner})`,
        `if ${inner}\nthen c; fi`,
        `for i in 1 2; do ${inner}\ndone`,
        `! ${inner}`,
        `time ${inner}`,
        `case a in a) ${inner}\nesac`,
        `f() { ${inner}\n}; f`,
        `a <<< "$(${inner})"`,
        `a \${x:-$(${inner})}`,
        `a $(( $(${inner}) + 1 ))`,
        `[[ $(${inner}) ]]`,
        `coproc ${inner}`,
        `a <<E\n$(${inner})\nE\n`,
        `x=( $(${inner}) )`,
        `a \`b c\` "\`c d\`"`,
        `# ${inner}\nb c`,
      ),
    ),
  ),
})).script;

test.each([
  ["of pieces", script],
  ["of scripts in scripts", nested],
])("no command that bash runs is overlooked by rules that deny, in scripts %s", (_, scripts) => {
  const bash = realBash();

  fc.assert(
    fc.property(scripts, (text) => {
      const overlooked = bash
        .run(text)
        .filter((words) => fitsAnywhere(exactly(words), text) === "no");

      expect(overlooked).toEqual([]);
    }),
    { numRuns },
  );
});

function exactly(words: readonly string[]): CommandPattern {
  return { type: "command", words: words.map((word) => [word]), isOpen: false };
}
