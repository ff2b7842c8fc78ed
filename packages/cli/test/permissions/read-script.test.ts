import * as fc from "fast-check";
import { expect, test } from "vitest";
import { foundIn } from "../../src/permissions/bash/found-in.ts";
import { readScript } from "../../src/permissions/bash/read-script.ts";

/** Words of the only command. */
function wordsOf(command: string): readonly (string | undefined)[] | undefined {
  const script = readScript(command);
  if (script.type === "notSure" || script.root.type !== "simple") return undefined;
  return script.root.words.map(({ text, isKnown }) => (isKnown ? text : undefined));
}

test.each([
  ["npm test", ["npm", "test"]],
  ["  npm\t test \n", ["npm", "test"]],
  ["git commit -m 'two words'", ["git", "commit", "-m", "two words"]],
  [`git commit -m "it's"`, ["git", "commit", "-m", "it's"]],
  [String.raw`echo "a \"b\" \\ \$c \n"`, ["echo", String.raw`a "b" \ $c \n`]],
  [String.raw`echo a\ b \; \"`, ["echo", "a b", ";", '"']],
  ["ec'h'\"o\" a''b ''", ["echo", "ab", ""]],
  ["git diff HEAD~1 HEAD^ a:b x=y", ["git", "diff", "HEAD~1", "HEAD^", "a:b", "x=y"]],
  ["echo '$(rm -rf /)' ';' '*' '#'", ["echo", "$(rm -rf /)", ";", "*", "#"]],
  ["find . ! -name a#b", ["find", ".", "!", "-name", "a#b"]],
  ["'if' a", ["if", "a"]],
  ["echo if time", ["echo", "if", "time"]],
  ["echo 'ä €'", ["echo", "ä €"]],
  ["command npm test", ["command", "npm", "test"]],
  ["./npm test", ["./npm", "test"]],
])("%j is one command", (command, words) => {
  expect(wordsOf(command)).toEqual(words);
});

test.each([
  [
    "npm test; rm x",
    [
      ["npm", "test"],
      ["rm", "x"],
    ],
  ],
  ["npm test && rm x || ls", [["npm", "test"], ["rm", "x"], ["ls"]]],
  [
    "npm test 2>&1 | tail -20",
    [
      ["npm", "test"],
      ["tail", "-20"],
    ],
  ],
  ["npm test |& tail", [["npm", "test"], ["tail"]]],
  [
    "npm start & npm test",
    [
      ["npm", "start"],
      ["npm", "test"],
    ],
  ],
  [
    "npm test\n\nrm x\n",
    [
      ["npm", "test"],
      ["rm", "x"],
    ],
  ],
  ["npm \\\n  test", [["npm", "test"]]],
  ["npm 'te\nst'", [["npm", "te\nst"]]],
  ['npm $x "$y" a*', [["npm", undefined, undefined, undefined]]],
  ["npm test # rm x", [["npm", "test"]]],
  ["(npm test)", [["npm", "test"]]],
  ["{ npm test; }", [["npm", "test"]]],
  ["! npm test", [["npm", "test"]]],
  ["time -p npm test", [["npm", "test"]]],
  ["CI=1 npm test", [["npm", "test"]]],
  ["if a; then b; elif c; then d; else e; fi", [["a"], ["b"], ["c"], ["d"], ["e"]]],
  ['for f in a *.b; do c "$f"; done', [["c", undefined]]],
  ["while a; do b; done; until c\ndo d\ndone", [["a"], ["b"], ["c"], ["d"]]],
  ["cat <<'E' && rm x\n$(no)\nE\nls", [["cat"], ["rm", "x"], ["ls"]]],
  ["cat <<-E\n\tplain\n\tE\n", [["cat"]]],
  ["git show HEAD@{1}", [["git", "show", "HEAD@{1}"]]],
  [
    "[ -f a ] && cat a",
    [
      ["[", "-f", "a", "]"],
      ["cat", "a"],
    ],
  ],
])("%j is read as its commands", (script, commands) => {
  expect(readScript(script).type).toBe("script");
  expect(foundIn(script).commands).toEqual(commands);
});

test.each([
  ["a substitution of several lines", "npm $(ls\nrm x)", "several lines"],
  ["a here-document in a substitution", "npm $(cat <<'E'\nx\nE\n)", "here-document"],
  ["a substitution that ends in a comment", 'npm "$(ls # )"', "not closed"],
  ["a substitution that is not closed", 'npm "$(ls"', "not closed"],
  ["substitutions in substitutions", `a ${"$(a ".repeat(7)}b${")".repeat(7)}`, "nested"],
  ["a number before &>", "1&> f ls", "number before &>"],
  ["backticks", "npm `rm x`", "command substitution"],
  ["backticks in double quotes", 'npm "`rm x`"', "command substitution"],
  ["a process substitution", "npm <(rm x)", "process substitution"],
  ["a process substitution for output", "npm > >(rm x)", "redirection"],
  ["an ANSI-C quote", "npm $'\\x74est'", "expansion"],
  ["a quote for translation", 'npm $"test"', "expansion"],
  ["an expansion with a default", "npm ${x:-y}", "expansion"],
  ["arithmetic", "npm $((1))", "arithmetic"],
  ["an arithmetic command", "((1))", "arithmetic"],
  ["an arithmetic command across lines", "(\\\n(1))", ""],
  ["a document with expansions", "npm test <<E\n$(rm x)\nE", "here-document"],
  ["a document that does not end", "npm test <<E\nrm x", "here-document"],
  ["a document without text", "npm test <<E", "here-document"],
  ["braces", "npm {test,run}", "brace expansion"],
  ["a sequence", "npm {1..3}", "brace expansion"],
  ["a home folder", "npm ~/test", "~"],
  ["a home folder after an equals sign", "npm --x=~", "~"],
  ["a home folder after a colon", "npm a=b:~", "~"],
  ["only a comment", "# npm test", ""],
  ["a variable that is added to", "PATH+=:. npm test", "assignment"],
  ["an element of a list", "x[0]=1 npm test", ""],
  ["a list", "x=(a b)", ""],
  ["an incomplete if", "if npm test", "construct"],
  ["coproc", "coproc npm test", "coproc"],
  ["a test that evaluates", "[[ $x -eq 1 ]]", "[["],
  ["a test of a variable's index", "[[ -v x ]]", "[["],
  ["a test with an expression", "[[ a =~ b ]]", "[["],
  ["a test with brackets", "[[ ( a ) ]]", "operator"],
  ["a test that compares in order", "[[ a < b ]]", "[["],
  ["a test without its end", "[[ -f a", "[["],
  ["case", "case a in a) b;; esac", "case"],
  ["select", "select x in a; do b; done", "select"],
  ["a function", "npm() { rm x; }", ""],
  ["a function with its word", "function npm { rm x; }", "function"],
  ["a loop over a variable that programs know", "for PATH in a; do b; done", "for loop"],
  ["a loop without a list", "for f; do b; done", ""],
  ["a quote that is not closed", "npm 'test", "quote"],
  ["a double quote that is not closed", 'npm "test', "quote"],
  ["a backslash at the end", "npm test\\", "\\"],
  ["a line that continues inside a word", "npm te\\\nst", "\\"],
  ["an operator across lines", "a &\\\n& b", ""],
  ["a NUL", "npm te\0st", "control character"],
  ["a carriage return", "npm test\r", "control character"],
  ["an escape character", "npm '\u001b[2J'", "control character"],
  ["a mark that bash uses itself", "npm '\u0001'", "control character"],
  ["a wide space", "npm\u00a0test", "non-ASCII"],
  ["a byte order mark", "\ufeffnpm test", "non-ASCII"],
  ["letters beyond ASCII without quotes", "echo ä", "non-ASCII"],
  ["half a character", "echo '\ud800'", "control character"],
  ["a program that only the shell knows", "$x test", "only the shell knows"],
  ["a program that is a pattern", "n?m test", "only the shell knows"],
  ["an option of the shell", "-x npm test", "begins with -"],
  ["an option of the shell, in quotes", "'+x'", "begins with -"],
  ["a job", "%1", "begins with -"],
  ["a descriptor in a variable", "npm {fd}>x", "variable"],
  ["a file for reading and writing", "npm <>x", "reading and writing"],
  ["an operator at the end", "npm &&", "operator"],
  ["two operators", "a ; ; b", "operator"],
  ["a redirection alone", "> x", "redirection"],
  ["nothing", "", "operator"],
  ["blanks", " \t\n ", "operator"],
])("%s is not read: %j", (_, command, problem) => {
  const script = readScript(command);

  expect(script).toMatchObject({ type: "notSure", problem: expect.stringContaining(problem) });
});

test("any text is read in time, and without a throw", () => {
  const texts = fc.oneof(
    fc.string({ unit: "binary" }),
    fc
      .tuple(fc.string(), fc.integer({ min: 1, max: 10_000 }))
      .map(([text, times]) => text.repeat(times).slice(0, 30_000)),
  );

  fc.assert(
    fc.property(texts, (text) => {
      expect(["script", "notSure"]).toContain(readScript(text).type);
    }),
  );
});
