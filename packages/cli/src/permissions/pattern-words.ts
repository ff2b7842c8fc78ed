/**
 * Parses the words of a rule's pattern as bash would read them, with wildcards. It deliberately knows less than bash: anything ambiguous is
 * refused, so that users do not write rules that mean something else.
 */

/** Pieces of a word between its wildcards; a single piece if it has none. */
export type Word = readonly string[];

interface Refusal {
  /** Completes "it …". */
  readonly problem: string;
}

type WordsOrRefusal = { readonly words: readonly Word[] } | Refusal;

/** Parses a pattern, in which an unquoted `*` is a wildcard. */
export function parsePatternWords(text: string): WordsOrRefusal {
  // The shell gets UTF-8, which cannot encode lone surrogates. Some control characters have odd meanings in it.
  const source = withoutOuterBlanks(text);
  if (!source.isWellFormed() || controlCharacter.test(source)) {
    return { problem: "has a line break or another control character" };
  }
  const words: Word[] = [];
  for (let at = 0; at < source.length;) {
    const word = readWord(source, at);
    if ("problem" in word) return word;
    if (words.length === 0) {
      const problem = problemOfFirst(source.slice(at, word.end));
      if (problem !== undefined) return { problem };
    }
    words.push(word.pieces);
    at = word.end;
    while (isBlank(source[at])) at += 1;
  }
  return words.length === 0 ? { problem: "names no command" } : { words };
}

// Tabs separate words as spaces do. Bash marks quoted characters with 0x01 and 0x7F internally.
const controlCharacter = /(?!\t)\p{Cc}/u;

/** `trim` would remove characters that are not blanks to the shell. A line break at the end has no meaning to it either. */
function withoutOuterBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isOuter(text[start])) start += 1;
  while (end > start && isOuter(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

function isOuter(character: string | undefined): boolean {
  return isBlank(character) || character === "\n";
}

type WordRead = { readonly pieces: Word; readonly end: number } | Refusal;

function readWord(source: string, start: number): WordRead {
  const pieces: string[] = [""];
  const add = (piece: string): void => {
    pieces.push(`${pieces.pop() ?? ""}${piece}`);
  };
  let at = start;
  while (at < source.length && !isBlank(source[at])) {
    const character = source[at] ?? "";
    if (character === "'" || character === '"') {
      const expression = character === "'" ? singleQuoted : doubleQuoted;
      expression.lastIndex = at;
      const quoted = expression.exec(source);
      if (quoted === null) {
        return { problem: "has a quote that is not closed, or a $ or ` within double quotes" };
      }
      const [whole, inner = ""] = quoted;
      add(character === "'" ? inner : inner.replaceAll(escapedInDoubleQuotes, "$1"));
      at += whole.length;
    } else if (character === "\\") {
      const escaped = source[at + 1] ?? "";
      if (!plainAscii.test(escaped)) return { problem: "has a \\ that escapes nothing" };
      add(escaped);
      at += 2;
    } else if (character === "*") {
      pieces.push("");
      at += 1;
    } else {
      if (!isPlain(character, at === start ? undefined : source[at - 1])) {
        return { problem: problemOf(character) };
      }
      add(character);
      at += 1;
    }
  }
  return { pieces, end: at };
}

const singleQuoted = /'([^']*)'/y;
/** Characters a `\` escapes in double quotes; before any other character it stands for itself. */
const doubleQuoted = /"((?:[^"\\$`]|\\[^])*)"/y;
const escapedInDoubleQuotes = /\\([$`"\\])/g;
/** From space to tilde: some locale may treat any other unquoted character as a blank. */
const plainAscii = /^[ -~]$/;
/** Operators, expansions, globs, braces. */
const special = /[|&;<>()$`*?[{}]/;

function isBlank(character: string | undefined): boolean {
  return character === " " || character === "\t";
}

function isPlain(character: string, before: string | undefined): boolean {
  if (!plainAscii.test(character) || special.test(character)) return false;
  if (character === "#") return before !== undefined;
  // HEAD~1 is literal, ~/x and a=~/x are expanded.
  if (character === "~") return before !== undefined && before !== "=" && before !== ":";
  return true;
}

function problemOf(character: string): string {
  return plainAscii.test(character)
    ? `has an unquoted ${character}, which has a meaning to the shell`
    : "has an unquoted non-ASCII character";
}

/** Reserved only if unquoted: in quotes they are command names. */
const reserved = new Set(
  "! [[ ]] { } case coproc do done elif else esac fi for function if in select then time until while".split(
    " ",
  ),
);

function problemOfFirst(raw: string): string | undefined {
  if (reserved.has(raw)) return `begins with ${raw}, a reserved word of the shell`;
  // Quoted or not: the difference is not worth detecting.
  if (/^["'\\]*[A-Za-z_][\w"'\\]*\+?=/.test(raw)) return "begins with an assignment";
  // The shell would read it as one of its own options, or as a job number.
  if (/^["'\\]*[-+%]/.test(raw)) return "begins with -, + or %";
  return undefined;
}
