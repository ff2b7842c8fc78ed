/** The parsed words of a command are what bash runs. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { CommandPattern } from "../../src/permissions/command-pattern.ts";
import { readScript } from "../../src/permissions/bash/read-script.ts";
import type { ScriptNode, ScriptWord } from "../../src/permissions/bash/script.ts";
import { fitsAnywhere } from "../../src/permissions/fits-anywhere.ts";
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
      const script = readScript(command);
      // A redirection may fail, and then nothing runs.
      if (script.type !== "script" || script.root.type !== "simple") return fc.pre(false);
      fc.pre(script.root.redirections.length === 0);
      const { words } = script.root;
      fc.pre(words.length > 0 && words.every(({ isKnown }) => isKnown));

      expect(bash.run(command, locale)).toEqual([words.map(({ text }) => text)]);
    }),
    { numRuns, maxSkipsPerRun: 1000 },
  );
});

test("words in quotes are read as bash reads them", () => {
  const bash = realBash();
  const word = fc
    .array(fc.constantFrom(...plain, ...marks, ...operators, ...reserved, " ", "é", "\t"), {
      maxLength: 4,
    })
    .map((pieces) => pieces.join("").replaceAll("\n", ""));
  const words = fc.tuple(fc.constantFrom("a", "if", "b c"), fc.array(word, { maxLength: 4 }));

  fc.assert(
    fc.property(words, ([first, others]) => {
      const all = [first, ...others];
      const command = all.map((one) => `'${one.replaceAll("'", "'\\''")}'`).join(" ");
      const script = readScript(command);

      expect(script.type === "script" && commandsOf(script.root)).toMatchObject([
        all.map((text) => ({ text, isKnown: true })),
      ]);
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

/** Pieces of scripts that the exact reader knows, so that many are read. */
const readable = fc.letrec<{ script: string }>((tie) => ({
  script: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(
      "a",
      "a b",
      "b 'c d' \"e f\"",
      "CI=1 a b",
      "x=1",
      "a 2>&1 b",
      "a >f b",
      "a &>f",
      "a <<<b",
      "a <<'E'\n$(c)\nE\n",
      "a <<E\nc\nE\n",
      'a "$x" b',
      "a $x",
      "a *.b c?",
      "a [b] [ c",
      "[ a ]",
      "[[ a ]]",
      "[[ -f a ]]",
      "[[ a == b* ]] 2>f",
      "[[ $x != 'a b' ]]",
      "a \\\n b",
      "a # b\n",
      "a @{u} {} }",
      "if",
      "a if then",
      "a 2 >f 3>&1",
      "a$",
      "! a",
      "time a",
    ),
    fc
      .tuple(
        tie("script"),
        fc.constantFrom(";", "&&", "||", "|", "&", "\n", " |& ", " ", "\n\n", "#\n", "\\\n"),
        tie("script"),
      )
      .map((all) => all.join(fc.sample(fc.constantFrom(" ", ""), 1)[0])),
    tie("script").chain((inner) =>
      fc.constantFrom(
        `(${inner})`,
        `( ${inner}\n) 2>f`,
        `{ ${inner}\n}`,
        `{ ${inner}; } >f`,
        `if ${inner}\nthen c; fi`,
        `if a; then ${inner}\nelif b; then c\nelse ${inner}; fi`,
        `for i in 1 2; do ${inner}\ndone`,
        `for i in 1 '2 3' *; do ${inner}; done <f`,
        `! ${inner}`,
        `time ${inner}`,
        `'${inner}'`,
        `a "${inner}"`,
        `a ${inner}`,
        `${inner} <<'E'\nb\nE\n`,
        `a $(${inner})`,
        `a b$( ${inner} )c 'd'`,
        `a "$(${inner})"`,
        `a "b $(${inner}) 'c' $(a)" d`,
        `x=$(${inner})`,
        `x="$(${inner})" && a`,
        `CI=$(${inner}) a`,
        `a <<<"$(${inner})"`,
        `a >"$(${inner})"`,
        `for i in $(${inner}) b; do a $i; done`,
        `{ a; } 2>$(${inner})`,
        `[ -n "$(${inner})" ] && b`,
        `[[ -f $(${inner}) ]] || b`,
        `[[ ! "$(${inner})" == a* && b != "$x" ]]`,
        `[[ a ]] && ${inner}`,
        `if [[ -n a || -z $x ]]; then ${inner}\nfi`,
      ),
    ),
  ),
})).script;

const anything = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: spaced(plain) },
      { weight: 3, arbitrary: spaced(operators) },
      { weight: 2, arbitrary: quoted },
      { weight: 1, arbitrary: spaced(marks) },
      { weight: 2, arbitrary: spaced(reserved).map((word) => ` ${word} `) },
    ),
    { maxLength: 12 },
  )
  .map((pieces) => pieces.join(""));

test.each([
  ["of constructs", readable],
  ["of pieces", anything],
])("bash runs no command but those that are read, in scripts %s", (_, scripts) => {
  const bash = realBash();

  fc.assert(
    fc.property(scripts, (text) => {
      const script = readScript(text);
      if (script.type !== "script") return fc.pre(false);
      const commands = commandsOf(script.root);

      const unexpected = bash
        .run(text)
        .filter((ran) => !commands.some((words) => isExpansionOf(words, ran)));

      expect(unexpected).toEqual([]);
    }),
    { numRuns, maxSkipsPerRun: 1000 },
  );
});

test("bash runs every command that is read, where nothing is conditional", () => {
  const bash = realBash();
  const simple = fc.constantFrom("a", "b 'c d'", "c >f", "CI=1 d 2>&1", "e \"f\" <<'E'\n$x\nE\n");
  const straight = fc
    .array(fc.tuple(simple, fc.constantFrom(";", "&&", "|", "\n", "|&")), {
      minLength: 1,
      maxLength: 5,
    })
    .map((all) => `${all.map((pair) => pair.join(" ")).join(" ")} g`);

  fc.assert(
    fc.property(straight, (text) => {
      const script = readScript(text);
      if (script.type !== "script") return fc.pre(false);
      const read = commandsOf(script.root);

      const ran = bash.run(text);

      const texts = read.map((words) => words.map(({ text }) => text).join(" "));
      expect(texts.toSorted()).toEqual(ran.map((words) => words.join(" ")).toSorted());
    }),
    { numRuns, maxSkipsPerRun: 1000 },
  );
});

function commandsOf(node: ScriptNode): readonly (readonly ScriptWord[])[] {
  switch (node.type) {
    case "simple":
      return node.words.length === 0 ? [] : [node.words];
    case "and":
    case "or":
    case "then":
      return [...commandsOf(node.first), ...commandsOf(node.second)];
    case "not":
    case "redirected":
      return commandsOf(node.inner);
    case "apart":
    case "loop":
      return node.parts.flatMap(commandsOf);
    case "test":
      return [];
    case "expanded":
      return [...node.substitutions.flatMap(commandsOf), ...commandsOf(node.inner)];
    case "if":
      return [node.condition, node.body, ...(node.otherwise ? [node.otherwise] : [])].flatMap(
        commandsOf,
      );
    default:
      return node satisfies never;
  }
}

/** True if words that only the shell knows may have become what ran. */
function isExpansionOf(words: readonly ScriptWord[], ran: readonly string[]): boolean {
  const [first, ...others] = words;
  if (first === undefined) return ran.length === 0;
  if (first.isKnown) return ran[0] === first.text && isExpansionOf(others, ran.slice(1));
  return Array.from({ length: ran.length + 1 }, (_, count) => count).some(
    (count) =>
      ran.slice(0, count).every((text) => text.startsWith(first.text)) &&
      isExpansionOf(others, ran.slice(count)),
  );
}

function exactly(words: readonly string[]): CommandPattern {
  return { type: "command", words: words.map((word) => [word]), isOpen: false };
}
