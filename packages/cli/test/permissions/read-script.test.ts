import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseSimpleCommand } from "../../src/permissions/simple-command.ts";

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
  expect(parseSimpleCommand(command)).toEqual(words);
});

test.each([
  ["a second command", "npm test; rm x"],
  ["a command if the first one succeeds", "npm test && rm x"],
  ["a command if the first one fails", "npm test || rm x"],
  ["a pipe", "npm test | tee x"],
  ["a background", "npm test &"],
  ["a second line", "npm test\nrm x"],
  ["a line break in quotes", "npm 'te\nst'"],
  ["a line that goes on", "npm \\\ntest"],
  ["a substitution", "npm $(rm x)"],
  ["a substitution in double quotes", 'npm "$(rm x)"'],
  ["backticks", "npm `rm x`"],
  ["backticks in double quotes", 'npm "`rm x`"'],
  ["a process substitution", "npm <(rm x)"],
  ["a variable", "npm $x"],
  ["a variable in double quotes", 'npm "$x"'],
  ["an ANSI-C quote", "npm $'\\x74est'"],
  ["a quote for translation", 'npm $"test"'],
  ["a redirection to a file", "npm test > x"],
  ["a redirection from a file", "npm test < x"],
  ["a redirection of a number", "npm test 2>&1"],
  ["a document", "npm test <<E\nE"],
  ["a subshell", "(npm test)"],
  ["a group", "{ npm test; }"],
  ["braces", "npm {test,run}"],
  ["a pattern of paths", "npm t*st"],
  ["a question mark", "npm t?st"],
  ["a set", "npm t[e]st"],
  ["a home folder", "npm ~/test"],
  ["a home folder after an equals sign", "npm --x=~"],
  ["a home folder after a colon", "npm a=b:~"],
  ["a comment", "npm test # rm x"],
  ["only a comment", "# npm test"],
  ["a variable for the command", "PATH=. npm test"],
  ["a variable that is added to", "PATH+=:. npm test"],
  ["an element of a list", "x[0]=1 npm test"],
  ["a negation", "! npm test"],
  ["if", "if npm test"],
  ["time", "time npm test"],
  ["coproc", "coproc npm test"],
  ["a test in brackets", "[[ a ]]"],
  ["a function", "npm() { rm x; }"],
  ["arithmetic", "((1))"],
  ["a quote that is not closed", "npm 'test"],
  ["a double quote that is not closed", 'npm "test'],
  ["a backslash at the end", "npm test\\"],
  ["a NUL", "npm te\0st"],
  ["a carriage return", "npm test\r"],
  ["an escape character", "npm '\u001b[2J'"],
  ["a mark that bash uses itself", "npm '\u0001'"],
  ["a wide space", "npm\u00a0test"],
  ["a wide space at the end", "npm test\u2003"],
  ["a byte order mark", "\ufeffnpm test"],
  ["letters beyond ASCII without quotes", "echo ä"],
  ["half a character", "echo '\ud800'"],
  ["an option of the shell", "-x npm test"],
  ["an option of the shell, in quotes", "'+x'"],
  ["a job", "%1"],
  ["nothing", ""],
  ["blanks", " \t\n "],
])("%s is not one simple command: %j", (_, command) => {
  expect(parseSimpleCommand(command)).toBeUndefined();
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
      const words = parseSimpleCommand(text);

      expect(words === undefined || words.length > 0).toBe(true);
    }),
  );
});
