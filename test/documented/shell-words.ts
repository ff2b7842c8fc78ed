/** Splits the text of a shell block into simple commands. Knows as much of a shell as the pages use. */

export interface ShellCommand {
  /** As written, without its comment. */
  readonly text: string;
  /** Variables before the command. */
  readonly env: Readonly<Record<string, string>>;
  /** The program and its arguments, without quotes and redirections. */
  readonly words: readonly string[];
  /** True if it reads the output of the command before it. */
  readonly isPiped: boolean;
}

/** Commands in the order of the text, also those within `$(…)` and `<(…)`. */
export function commandsOf(text: string): readonly ShellCommand[] {
  return text
    .replaceAll(/\\\n\s*/g, " ")
    .split("\n")
    .flatMap((line) => splitLine(line));
}

interface Piece {
  readonly text: string;
  readonly isPiped: boolean;
}

function splitLine(line: string): readonly ShellCommand[] {
  return piecesOf(line).flatMap(({ text, isPiped }) => {
    const nested = Array.from(text.matchAll(/[$<]\(([^()]*)\)/g), ([, inner = ""]) => inner);
    const words = wordsOf(text);
    const count = words.findIndex((word) => !/^[A-Z_]+=/.test(word));
    const env = Object.fromEntries(
      words.slice(0, count < 0 ? words.length : count).map((word) => {
        const at = word.indexOf("=");
        return [word.slice(0, at), word.slice(at + 1)];
      }),
    );
    const command = { text, env, words: count < 0 ? [] : words.slice(count), isPiped };
    return [...nested.flatMap(splitLine), command];
  });
}

/** Pieces between `&&`, `;` and `|`, up to a comment. */
function piecesOf(line: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let text = "";
  let isPiped = false;
  for (const token of line.matchAll(/'[^']*'|"[^"]*"|[$<]\([^()]*\)|(?:^|\s)#.*|&&|;|\||./g)) {
    const [part] = token;
    if (/^\s*#/.test(part)) break;
    if (part !== "&&" && part !== ";" && part !== "|") {
      text += part;
      continue;
    }
    pieces.push({ text: text.trim(), isPiped });
    text = "";
    isPiped = part === "|";
  }
  pieces.push({ text: text.trim(), isPiped });
  return pieces.filter((piece) => piece.text !== "");
}

function wordsOf(command: string): readonly string[] {
  const words = command.matchAll(/(?:'[^']*'|"[^"]*"|[$<]\([^()]*\)|\S)+/g);
  return Array.from(words, ([word]) => word)
    .filter((word) => !/^\d?[<>](?!\()/.test(word))
    .map((word) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, "$1$2"));
}
