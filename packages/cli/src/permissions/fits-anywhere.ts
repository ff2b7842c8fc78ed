/** Finds a command that a rule denies or asks about in a script, whatever starts it. */
import type { FoundCommands, FoundWord } from "./bash/commands-in.ts";
import { foundIn } from "./bash/found-in.ts";
import type { CommandPattern, Fit } from "./command-pattern.ts";
import { fitOf } from "./command-pattern.ts";
import { nameOf } from "./programs/examined.ts";

const maxDepth = 4;
/** Words at which a started command is looked for. */
const maxStarts = 200;

/** `maybe` if the script, or a script inside of it, cannot be read. */
export function fitsAnywhere(pattern: CommandPattern, text: string, depth = 0): Fit {
  if (depth > maxDepth) return "maybe";
  const found = foundIn(text);
  const fits = found.commands.flatMap((words) => [
    ...startsOf(words).map((start) => fitOf(pattern, start)),
    ...differentOf(textsOf(words, found)).map((inner) =>
      inner === undefined ? "maybe" : fitsAnywhere(pattern, inner, depth + 1),
    ),
  ]);
  if (fits.includes("yes")) return "yes";
  return found.isWhole && !fits.includes("maybe") ? "no" : "maybe";
}

/** Programs that run another program, named in their arguments. */
const starters = new Set(
  (
    "builtin bunx busybox bwrap chroot chrt choom command cpulimit dbus-run-session direnv doas entr env exec fakeroot faketime " +
    "fd fdfind find firejail flock gdb hyperfine ionice ltrace nice nohup npx nsenter numactl parallel perf pkexec prlimit proot " +
    "runuser screen script setarch setpriv setsid sg ssh start-stop-daemon stdbuf strace su sudo systemd-run taskset time " +
    "timeout tmux toybox unbuffer unshare uvx valgrind watch watchexec xargs xvfb-run"
  ).split(" "),
);
/** Programs that take a script of the shell as one of their words. */
const takers = new Set(
  "alias at batch entr env flock hyperfine npx parallel runuser screen script sg ssh su tmux trap watch watchexec".split(
    " ",
  ),
);
const shells = new Set("ash bash csh dash fish ksh mksh rbash sh tcsh zsh".split(" "));
const managers = new Set(["npm", "pnpm", "yarn", "bun"]);

/** Returns every command that the words may start, the command itself first. */
function startsOf(words: readonly FoundWord[]): readonly (readonly FoundWord[])[] {
  return suffixesOf(words).flatMap((start) => [start, ...withoutLeadingOptions(start)]);
}

function suffixesOf(words: readonly FoundWord[]): readonly (readonly FoundWord[])[] {
  if (!isStarter(words)) return [words];
  const suffixes = words.slice(0, maxStarts).map((_, index) => words.slice(index));
  return words.length > maxStarts ? [...suffixes, [undefined]] : suffixes;
}

function isStarter([program, ...others]: readonly FoundWord[]): boolean {
  if (program === undefined) return false;
  const name = nameOf(program);
  const executes = managers.has(name) && others.some((word) => /^(?:exec|x|dlx)$/.test(word ?? ""));
  return starters.has(name) || executes;
}

/** `git -C . push` is `git push`: leading options, with or without a value, are left out. */
function withoutLeadingOptions(words: readonly FoundWord[]): readonly (readonly FoundWord[])[] {
  const [program, ...others] = words;
  const results: (readonly FoundWord[])[] = [];
  const isOption = (index: number): boolean => others[index]?.startsWith("-") === true;
  for (let at = 1; at <= others.length && (isOption(at - 1) || isOption(at - 2)); at += 1) {
    results.push([program, ...others.slice(at)]);
  }
  return results;
}

/** Each text once; with too many of them, an unknown one instead of the rest. */
function differentOf(texts: readonly FoundWord[]): readonly FoundWord[] {
  const different = [...new Set(texts)];
  return different.length > maxStarts ? [...different.slice(0, maxStarts), undefined] : different;
}

/** Scripts among the words of a command or in its input. Undefined: a script that is not known. */
function textsOf(words: readonly FoundWord[], found: FoundCommands): readonly FoundWord[] {
  return suffixesOf(words).flatMap(([program, ...others]) => {
    if (program === undefined) return [];
    const name = nameOf(program);
    if (name === "eval") return [others.includes(undefined) ? undefined : others.join(" ")];
    if (name === "." || name === "source") return others.includes(undefined) ? [undefined] : [];
    if (name === "git") return others.flatMap(aliasIn);
    if (takers.has(name)) return others.map((word) => word?.replace(optionBeforeText, ""));
    if (!shells.has(name)) return [];
    if (others.some((word) => /^-\w*c/.test(word ?? "-c"))) return others;
    const readsFile = others.some((word) => word === undefined || !inputName.test(word));
    // Without a file the script is the input: it may be any text in the script around it.
    return readsFile ? [] : [...found.texts, ...found.commands.flat(), undefined];
  });
}

/** An option, or another name of the input. */
const inputName = /^-|^\/dev\/(?:stdin|fd\/)|^\/proc\/self\/fd\//;
const optionBeforeText = /^(?:-S|-c|--split-string=|--command=)/;

/** Script of an alias: `alias.name=!script` or `!script`. */
function aliasIn(word: FoundWord): readonly string[] {
  const script = /^(?:alias\.[^=]*=)?!(.*)$/s.exec(word ?? "")?.[1];
  return script === undefined ? [] : [script];
}
