/** `git`: options before and after its subcommand that start programs, change its settings, or write files. */
import type { ScriptWord } from "../bash/script.ts";
import type { Examine, Examined } from "./examined.ts";
import { allMarks, mayBeAnything, textAt } from "./examined.ts";
import type { Options } from "./options.ts";
import { marksOf } from "./options.ts";

/** Options before the subcommand that take no value and do no harm. */
const harmlessOptions = new Set([
  ...["--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs", "--version", "--help"],
  ...["--no-replace-objects", "--bare", "-v", "-h"],
]);
/** Settings that choose no program and no file. */
const harmlessSetting =
  /^(?:color\.[\w.]+|core\.quotepath|core\.autocrlf|core\.abbrev|user\.name|user\.email|advice\.\w+|log\.\w+|status\.\w+|init\.defaultbranch|commit\.gpgsign|tag\.gpgsign|pull\.(?:rebase|ff)|push\.default|safe\.directory|diff\.(?:renames|algorithm|context|colormoved)|merge\.conflictstyle)(?:=|$)/i;

/** For every subcommand. */
const everywhere: Options = {
  long: ["output", "ext-diff", "textconv", "upload-pack", "receive-pack", "exec", "template"],
  harmless: ["text"],
  content: /^ext::|^--(?:open-files-in-pager|show-signature)/,
};
const byCommand: Readonly<Record<string, Options>> = {
  archive: { short: "o", long: ["remote"] },
  bisect: { words: ["run", "view", "visualize"] },
  clone: { short: "cu", long: ["config", "upload-pack", "template"] },
  fetch: { long: ["upload-pack"] },
  "fetch-pack": { long: ["exec", "upload-pack"] },
  grep: { short: "O" },
  "ls-remote": { long: ["exec", "upload-pack"] },
  pull: { long: ["upload-pack"] },
  push: { long: ["exec", "receive-pack"] },
  rebase: { short: "xi", long: ["exec", "interactive"] },
  remote: { content: /^ext::/ },
  submodule: { words: ["foreach", "set-url"] },
};
/** Subcommands that start programs, or change which programs git starts. */
const marked = new Set([
  ...[
    "config",
    "difftool",
    "mergetool",
    "filter-branch",
    "hook",
    "daemon",
    "instaweb",
    "web--browse",
  ],
  ...[
    "send-email",
    "svn",
    "p4",
    "cvsserver",
    "cvsimport",
    "credential",
    "shell",
    "remote-ext",
    "help",
  ],
  ...[
    "for-each-repo",
    "maintenance",
    "gui",
    "citool",
    "gitk",
    "imap-send",
    "upload-pack",
    "receive-pack",
  ],
]);
const readsSettings = new Set(["--get", "--get-all", "--get-regexp", "--list", "-l"]);

export const examineGit: Examine = (words) => {
  const marks: number[] = [];
  let at = 1;
  for (; textAt(words, at).startsWith("-"); at += 1) {
    const option = textAt(words, at);
    if (option === "-C") return inFolder(words, at);
    if (harmlessOptions.has(option)) continue;
    marks.push(at);
    if (option !== "-c") continue;
    at += 1;
    if (harmlessSetting.test(textAt(words, at)) && words[at]?.isKnown === true) marks.pop();
    else marks.push(at);
  }
  return { marks: [...marks, ...marksFrom(words, at)] };
};

/** `git -C folder …` is the rest of the command in that folder. */
function inFolder(words: readonly ScriptWord[], at: number): Partial<Examined> {
  const folder = words[at + 1];
  if (folder === undefined) return { marks: allMarks(words) };
  const rest = [...words.slice(0, at), ...words.slice(at + 2)];
  return { marks: [at, at + 1], starts: [{ words: rest, folder }], isTransparent: true };
}

function marksFrom(words: readonly ScriptWord[], at: number): readonly number[] {
  const subcommand = words[at];
  if (subcommand === undefined) return [];
  if (mayBeAnything(subcommand) || !subcommand.isKnown) return [...words.keys()].slice(at);
  const { text } = subcommand;
  const rest = words.slice(at);
  const shift = (indexes: readonly number[]): readonly number[] => indexes.map((one) => one + at);
  if (text === "config") return isHarmlessConfig(rest) ? [] : shift([...rest.keys()]);
  if (marked.has(text) || /^(?:remote|credential)-/.test(text)) return shift([...rest.keys()]);
  const own = Object.hasOwn(byCommand, text) ? byCommand[text] : undefined;
  // Words after `--` are paths.
  const end = rest.findIndex((word) => word.text === "--");
  const options = end === -1 ? rest : rest.slice(0, end);
  const checked = withMessages.has(text) ? options.map(withoutMessage) : options;
  return shift([...marksOf(checked, everywhere), ...(own ? marksOf(checked, own) : [])]);
}

const withMessages = new Set(["commit", "merge", "notes", "stash", "tag"]);

/** A message may begin with anything. */
function withoutMessage(word: ScriptWord, index: number, words: readonly ScriptWord[]): ScriptWord {
  return /^-[a-z]*m$|^--message$/.test(textAt(words, index - 1))
    ? { text: "m", isKnown: true }
    : word;
}

function isHarmlessConfig(words: readonly ScriptWord[]): boolean {
  const [, first, ...others] = words.filter(
    ({ text }) => !/^--(?:global|local|system)$/.test(text),
  );
  if (first === undefined || !words.every(({ isKnown }) => isKnown)) return false;
  const isReading = readsSettings.has(first.text) || first.text === "get" || first.text === "list";
  const isSingle =
    others.length === 0 && /^[\w.-]+$/.test(first.text) && !first.text.startsWith("-");
  if (isSingle) return true;
  return isReading
    ? others.every(({ text }) => !text.startsWith("-"))
    : harmlessSetting.test(first.text) && others.length === 1;
}
