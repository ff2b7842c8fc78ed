/** Takes the options out of the words of a command line. */
import { nearestWord } from "./nearest-word.ts";
import type { Option } from "./options.ts";
import { options } from "./options.ts";

export interface Words {
  /** What each option was given, by its name; nothing where it has no value. */
  readonly given: ReadonlyMap<string, readonly (string | undefined)[]>;
  /** What is no option, up to `--`. */
  readonly plain: readonly string[];
  /** What comes behind `--`. */
  readonly behind: readonly string[];
}

export type ReadWords =
  | ({ readonly type: "words" } & Words)
  | { readonly type: "mistake"; readonly message: string };

export function readWords(argv: readonly string[]): ReadWords {
  const given = new Map<string, (string | undefined)[]>();
  const plain: string[] = [];
  for (let place = 0; place < argv.length; place += 1) {
    const word = argv[place] ?? "";
    if (word === "--") return { type: "words", given, plain, behind: argv.slice(place + 1) };
    if (!isOption(word)) {
      plain.push(word);
      continue;
    }
    const { written, attached } = splitOption(word);
    const option = findOption(written);
    if (option === undefined) return mistake(unknownOption(written));
    const next = argv[place + 1];
    const takesNext = option.value !== undefined && attached === undefined && isValue(next);
    if (takesNext) place += 1;
    const value = attached ?? (takesNext ? next : undefined);
    const problem = problemOf(option, value, given.has(option.name));
    if (problem !== undefined) return mistake(problem);
    given.set(option.name, [...(given.get(option.name) ?? []), value]);
  }
  return { type: "words", given, plain, behind: [] };
}

/** A dash alone is a word like any other. */
function isOption(word: string): boolean {
  return word.startsWith("-") && word !== "-";
}

/** What begins with a dash is an option, unless it is written with `=`. */
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
    return `--${name} needs a value: --${name} <${wanted}>. One that begins with a dash is written --${name}=<${wanted}>.`;
  }
  return isAgain && isList !== true
    ? `--${name} is there twice: one of them is enough.`
    : undefined;
}

function unknownOption(written: string): string {
  const nearest = nearestWord(
    written.replace(/^-+/, ""),
    options.map(({ name }) => name),
  );
  return `There is no option ${written}.${nearest === undefined ? "" : ` Did you mean --${nearest}?`}`;
}

function mistake(message: string): ReadWords {
  return { type: "mistake", message };
}
