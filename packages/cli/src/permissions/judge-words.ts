/** Judges the words of one command by the rules that allow. */
import type { ScriptWord } from "./bash/script.ts";
import type { CommandPattern } from "./command-pattern.ts";
import { coversLiterally, fitsWords, isBoundToFolder } from "./command-pattern.ts";
import { hintFor } from "./command-hint.ts";
import { foldersFrom } from "./folders-from.ts";
import { pathsIn } from "./path-words.ts";
import { placesOf } from "./path-pattern.ts";
import { examine } from "./programs/examine.ts";
import { runsInput } from "./programs/runs-input.ts";
import { allMarks, nameOf, textAt } from "./programs/examined.ts";
import { isProtected, mayBeProtected } from "./protected-places.ts";

export interface WordsContext {
  readonly patterns: readonly CommandPattern[];
  readonly cwd: string;
  /** Folders in which the command may run. */
  readonly folders: ReadonlySet<string>;
  /** True if the command may get a text as its input. */
  readonly hasInput: boolean;
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

/** Longer commands ask: to look at each word takes time. */
const maxWords = 500;

export function judgeWords(words: readonly ScriptWord[], context: WordsContext): WordsVerdict {
  if (words.length > maxWords) {
    return { isAllowed: false, problem: "has too many words", allowWith: undefined };
  }
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
  // The folders of a script are known only if it changes them by itself.
  if (/^(?:cd|pushd|popd)$/.test(words[0].text)) return false;
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
function literalIndexes(
  words: readonly ScriptWord[],
  context: WordsContext,
  depth = 0,
): readonly number[] {
  if (depth > maxStarts) return allMarks(words);
  const { marks, starts, scripts } = examine(words);
  const started = starts.flatMap(({ words: inner, at }) =>
    at === undefined
      ? []
      : [0, ...literalIndexes(inner, context, depth + 1)].map((index) => index + at),
  );
  const isCode = scripts.length > 0 || (context.hasInput && runsInput(words));
  const all = isCode ? allMarks(words) : [];
  const own = [...marks, ...started, ...all, ...protectedIndexes(words, context)];
  return [...new Set(own)].filter((index) => index <= words.length);
}

/** Programs that only read the files that they name. */
const readers = new Set(
  (
    "[ awk basename bat cat cmp column comm cut diff dirname du echo egrep fgrep find gawk git grep head hexdump jq less ls md5sum " +
    "more nl od printf pwd readlink realpath rg sha1sum sha256sum shasum stat strings tac tail test wc which"
  ).split(" "),
);

/** Subcommands of git that write to the paths that they name. */
const writingSubcommands = new Set("archive bundle clone init mv rm submodule worktree".split(" "));

function protectedIndexes(
  words: readonly ScriptWord[],
  { folders, cwd }: WordsContext,
): readonly number[] {
  const name = nameOf(textAt(words, 0));
  const isWriting = name === "git" && words.some(({ text }) => writingSubcommands.has(text));
  if (readers.has(name) && !isWriting) return [];
  return [...words.keys()].slice(1).filter((index) => {
    const word = words[index];
    return word !== undefined && namesProtected(word, folders, cwd);
  });
}

function namesProtected(
  { text, isKnown, rest = "" }: ScriptWord,
  folders: ReadonlySet<string>,
  cwd: string,
): boolean {
  if (!isKnown && pathsIn(text + rest).some(mayBeProtected)) return true;
  return pathsIn(text).some(
    (path) =>
      isProtected(path) ||
      [...folders].some((folder) => {
        const absolute = placesOf(path, folder)?.written.absolute;
        const places = absolute === undefined ? undefined : placesOf(absolute, cwd);
        return [places?.written, places?.real].some(
          (place) => place !== undefined && isProtected(place.inside ?? place.absolute),
        );
      }),
  );
}
