/** Judges the words of one command by the rules that allow. */
import type { ScriptWord } from "./bash/script.ts";
import type { CommandPattern } from "./command-pattern.ts";
import { coversLiterally, fitsWords, isBoundToFolder } from "./command-pattern.ts";
import { hintFor } from "./command-hint.ts";
import { foldersFrom } from "./folders-from.ts";
import { pathsIn } from "./path-words.ts";
import { placesOf } from "./path-pattern.ts";
import { examine } from "./programs/examine.ts";
import { allMarks, nameOf, textAt } from "./programs/examined.ts";
import { isProtected, mayBeProtected } from "./protected-places.ts";

export interface WordsContext {
  readonly patterns: readonly CommandPattern[];
  readonly cwd: string;
  /** Folders in which the command may run. */
  readonly folders: ReadonlySet<string>;
  /** Judges a script among the words. */
  readonly judgeScript: (text: string) => boolean;
}

export type WordsVerdict =
  | { readonly isAllowed: true }
  | {
      readonly isAllowed: false;
      readonly problem: string;
      readonly allowWith: readonly string[] | undefined;
    };

export function judgeWords(words: readonly ScriptWord[], context: WordsContext): WordsVerdict {
  if (isAllowed(words, context)) return { isAllowed: true };
  const hint = hintFor(words, literalIndexes(words, context));
  return {
    isAllowed: false,
    problem: "is not allowed by a rule",
    allowWith: hint === undefined ? undefined : [hint],
  };
}

const maxStarts = 5;

function isAllowed(words: readonly ScriptWord[], context: WordsContext, depth = 0): boolean {
  if (depth > maxStarts || words[0]?.isKnown !== true) return false;
  const { folders, cwd } = context;
  const isElsewhere = folders.size !== 1 || !folders.has(cwd);
  const fitting = context.patterns.filter(
    (pattern) => fitsWords(pattern, words) && !(isElsewhere && isBoundToFolder(pattern)),
  );
  const literal = literalIndexes(words, context);
  if (fitting.some((pattern) => coversLiterally(pattern, literal))) return true;
  const { marks, starts, scripts, isTransparent } = examine(words);
  if (starts.length === 0 && scripts.length === 0) return false;
  const ownMarks = [...marks, ...protectedIndexes(words, context)];
  const isOwnAllowed =
    isTransparent || fitting.some((pattern) => coversLiterally(pattern, ownMarks));
  return (
    isOwnAllowed &&
    scripts.every((script) => context.judgeScript(script)) &&
    starts.every(({ words: inner, folder }) => {
      if (folder === undefined) return isAllowed(inner, context, depth + 1);
      const next = folder.isKnown ? foldersFrom(folders, folder.text, cwd) : undefined;
      return next !== undefined && isAllowed(inner, { ...context, folders: next }, depth + 1);
    })
  );
}

/** Indexes of the words that a rule must contain word for word. */
function literalIndexes(words: readonly ScriptWord[], context: WordsContext): readonly number[] {
  const { marks, starts, scripts } = examine(words);
  const started = starts.flatMap(({ words: inner, at }) =>
    at === undefined ? [] : [0, ...literalIndexes(inner, context)].map((index) => index + at),
  );
  const all = scripts.length > 0 ? allMarks(words) : [];
  const own = [...marks, ...started, ...all, ...protectedIndexes(words, context)];
  return [...new Set(own)].filter((index) => index <= words.length);
}

/** Programs that only read the files that they name. */
const readers = new Set(
  (
    "[ awk basename bat cat cmp column comm cut diff dirname du echo egrep fgrep file find gawk git grep head hexdump jq less ls md5sum " +
    "more nl od printf pwd readlink realpath rg sha1sum sha256sum shasum sort stat strings tac tail test tree uniq wc which xxd"
  ).split(" "),
);

function protectedIndexes(
  words: readonly ScriptWord[],
  { folders }: WordsContext,
): readonly number[] {
  const name = nameOf(textAt(words, 0));
  if (readers.has(name)) return [];
  return [...words.keys()].slice(1).filter((index) => {
    const word = words[index];
    return word !== undefined && namesProtected(word, folders);
  });
}

function namesProtected({ text, isKnown }: ScriptWord, folders: ReadonlySet<string>): boolean {
  if (!isKnown) return pathsIn(text).some(mayBeProtected);
  return pathsIn(text).some(
    (path) =>
      isProtected(path) ||
      [...folders].some((folder) => {
        const real = placesOf(path, folder)?.real;
        return real !== undefined && isProtected(real.inside ?? "");
      }),
  );
}
