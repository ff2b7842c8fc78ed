/** Separates the options of a command line from its other arguments. */
import { nearestWord } from "./nearest-word.ts";
import type { Option } from "./options.ts";
import { options } from "./options.ts";

export interface Words {
  /** Values of each option, by its name; undefined for an option without a value. */
  readonly given: ReadonlyMap<string, readonly (string | undefined)[]>;
  /** Arguments before `--` that are not options. */
  readonly plain: readonly string[];
  /** Arguments after `--`. */
  readonly behind: readonly string[];
}

export type ReadWords =
  | ({ readonly type: "words" } & Words)
  | { readonly type: "mistake"; readonly message: string };

export function readWords(argv: readonly string[]): ReadWords {
  const given = new Map<string, (string | undefined)[]>();
  const plain: string[] = [];
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? "";
    if (word === "--") return { type: "words", given, plain, behind: argv.slice(index + 1) };
    if (!isOption(word)) {
      plain.push(word);
      continue;
    }
    const { written, attached } = splitOption(word);
    const option = findOption(written);
    if (option === undefined) return mistake(unknownOption(written));
    const next = argv[index + 1];
    const takesNext = option.value !== undefined && attached === undefined && isValue(next);
    if (takesNext) index += 1;
    const value = attached ?? (takesNext ? next : undefined);
    const problem = problemOf(option, value, given.has(option.name));
    if (problem !== undefined) return mistake(problem);
    given.set(option.name, [...(given.get(option.name) ?? []), value]);
  }
  return { type: "words", given, plain, behind: [] };
}

/** A single dash is an ordinary argument. */
function isOption(word: string): boolean {
  return word.startsWith("-") && word !== "-";
}

/** A value that starts with a dash must be attached with `=`. */
function isValue(word: string | undefined): boolean {
  return word !== undefined && !isOption(word);
}

function splitOption(word: string): { written: string; attached: string | undefined } {
  const at = word.startsWith("--") ? word.indexOf("=") : -1;
  if (at === -1) return { written: word, attached: undefined };
  return { written: word.slice(0, at), attached: word.slice(at + 1) };
}

function findOption(written: string): Option | undefined {
  return options.find(
    ({ name, short }) =>
      written === `--${name}` || (short !== undefined && written === `-${short}`),
  );
}

function problemOf(
  { name, value: wanted, isValueOptional, isList }: Option,
  value: string | undefined,
  isAgain: boolean,
): string | undefined {
  if (wanted === undefined) return value === undefined ? undefined : `--${name} takes no value.`;
  if (value === undefined && isValueOptional !== true) {
    return `--${name} needs a value: --${name} <${wanted}>. If it starts with a dash, use --${name}=<${wanted}>.`;
  }
  return isAgain && isList !== true ? `--${name} is given twice: use it once.` : undefined;
}

function unknownOption(written: string): string {
  const nearest = nearestWord(
    written.replace(/^-+/, ""),
    options.map(({ name }) => name),
  );
  return `Unknown option ${written}.${nearest === undefined ? "" : ` Did you mean --${nearest}?`}`;
}

function mistake(message: string): ReadWords {
  return { type: "mistake", message };
}
