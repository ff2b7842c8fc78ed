/** Programs that start another program, named by their words. */
import type { ScriptWord } from "../bash/script.ts";
import { isHarmlessVariable } from "../bash/harmless-variables.ts";
import type { Examine, StartedCommand } from "./examined.ts";
import { markAll, textAt } from "./examined.ts";
import { marksOf, optionsOf } from "./options.ts";

interface Starter {
  /** Options without a value that do no harm. */
  readonly flags?: RegExp;
  /** Options whose value is the next word. */
  readonly withValue?: RegExp;
  /** Words before the command, such as the time of `timeout`. */
  readonly operands?: number;
  /** Options with which it only looks the command up. */
  readonly lookUps?: RegExp;
  /** False if it gives the command more rights: then it needs a rule, too. */
  readonly isTransparent: boolean;
}

const starters: Readonly<Record<string, Starter>> = {
  builtin: { isTransparent: true },
  command: { flags: /^-p$/, lookUps: /^-[vV]$/, isTransparent: true },
  doas: { flags: /^-n$/, withValue: /^-u$/, isTransparent: false },
  exec: { isTransparent: true },
  ionice: { flags: /^-c\d$|^-n\d$|^-t$/, withValue: /^-[cn]$/, isTransparent: true },
  nice: {
    flags: /^-\d+$|^-n-?\d+$|^--adjustment=-?\d+$/,
    withValue: /^-n$|^--adjustment$/,
    isTransparent: true,
  },
  nohup: { isTransparent: true },
  setsid: { flags: /^-[cfw]+$|^--(?:fork|wait|ctty)$/, isTransparent: true },
  stdbuf: {
    flags: /^-[ioe][L0]$|^--(?:output|error|input)=[L0]$/,
    withValue: /^-[ioe]$/,
    isTransparent: true,
  },
  sudo: { flags: /^-[EHnkS]+$/, withValue: /^-[ug]$/, isTransparent: false },
  time: { flags: /^-[pv]+$/, isTransparent: true },
  timeout: {
    flags:
      /^-v$|^-k\d+[smhd]?$|^-s[A-Z0-9]+$|^--(?:preserve-status|foreground|verbose|kill-after=\w+|signal=\w+)$/,
    withValue: /^-[ks]$|^--(?:kill-after|signal)$/,
    operands: 1,
    isTransparent: true,
  },
};

/** Programs that start others in ways that rules do not follow: only a rule with exactly the same words allows them. */
const opaque = new Set(
  (
    "alias at batch bind busybox bwrap capsh catchsegv chroot chrt complete coproc cpulimit crontab daemonize dbus-run-session " +
    "declare direnv dlv ed enable entr eval ex expect export faketime fakeroot fc firejail flock gdb getopts hash hyperfine " +
    "import jexec let lldb local ltrace mapfile mise neovim newgrp nix nix-shell nodemon nsenter numactl nvim osascript parallel " +
    "perf pkexec prlimit proot pry popd pushd qemu rbash read readarray readonly rlwrap runcon runuser screen script set setarch " +
    "setpriv sg shopt socat source start-stop-daemon strace su systemd-run taskset tclsh tmux toybox trap typeset ulimit umask " +
    "unalias unbuffer unset unshare vagrant valgrind vi view vim watch watchexec wish xvfb-run . ssh-agent entr cmd " +
    "ansible clojure dc elixir erl ghci gnuplot groovy guile iex irb jshell julia m4 octave R racket sbcl volta fnm hatch rye " +
    "pixi flatpak powershell pwsh choom eatmydata chpst linux32 linux64 i386 x86_64 dotenv cross-env asdf ld.so"
  ).split(" "),
);

export function examineStarter(name: string): Examine | undefined {
  if (name === "env") return examineEnv;
  if (name === "xargs") return examineXargs;
  if (name === "find") return examineFind;
  if (Object.hasOwn(starters, name)) {
    const starter = starters[name];
    return starter && ((words) => examineOf(words, starter));
  }
  return opaque.has(name) || name.startsWith("ld-linux") ? markAll : undefined;
}

function examineOf(words: readonly ScriptWord[], starter: Starter): ReturnType<Examine> {
  const { flags, withValue, operands = 0, lookUps, isTransparent } = starter;
  let at = 1;
  for (; textAt(words, at).startsWith("-") && words[at]?.isKnown === true; at += 1) {
    const option = textAt(words, at);
    if (lookUps?.test(option) === true) return {};
    if (withValue?.test(option) === true && words[at + 1]?.isKnown === true) at += 1;
    else if (flags?.test(option) !== true) return markAll(words);
  }
  const operandWords = words.slice(at, at + operands);
  if (operandWords.some(({ text, isKnown }) => !isKnown || text.startsWith("-")))
    return markAll(words);
  const inner = words.slice(at + operands);
  if (inner.length === 0) return markAll(words);
  return { starts: [{ words: inner, at: at + operands }], isTransparent };
}

const examineEnv: Examine = (words) => {
  let at = 1;
  for (; at < words.length; at += 1) {
    const { text, isKnown } = words[at] ?? { text: "", isKnown: false };
    const equals = text.indexOf("=");
    if (equals < 1) break;
    if (!isKnown || !isHarmlessVariable(text.slice(0, equals), text.slice(equals + 1))) {
      return markAll(words);
    }
  }
  const inner = words.slice(at);
  // Without a command it prints the variables.
  if (inner.length === 0) return {};
  if (textAt(inner, 0).startsWith("-")) return markAll(words);
  return { starts: [{ words: inner, at }], isTransparent: true };
};

const xargsFlags =
  /^-[0rtx]+$|^-[nPLs]\d+$|^-d.+$|^--(?:null|no-run-if-empty|verbose|max-(?:args|procs|lines)=\d+)$/;
const xargsValues = /^-[nPLsd]$|^--(?:max-args|max-procs|max-lines|delimiter)$/;
const unknown: ScriptWord = { text: "", isKnown: false };

const examineXargs: Examine = (words) => {
  let at = 1;
  let placeholder: string | undefined;
  for (; textAt(words, at).startsWith("-") && words[at]?.isKnown === true; at += 1) {
    const option = textAt(words, at);
    if (xargsValues.test(option)) at += 1;
    else if (option === "-I") placeholder = textAt(words, (at += 1));
    else if (/^-I./.test(option)) placeholder = option.slice(2);
    else if (!xargsFlags.test(option)) return markAll(words);
  }
  const inner = words.slice(at);
  if (inner.length === 0) return markAll(words);
  const replaced =
    placeholder === undefined || placeholder === ""
      ? [...inner, unknown]
      : inner.map((word) => (word.text.includes(placeholder ?? "") ? unknown : word));
  return { starts: [{ words: replaced, at }], isTransparent: true };
};

const examineFind: Examine = (words) => {
  const marks = marksOf(words, optionsOf["find"] ?? {});
  const starts: StartedCommand[] = [];
  for (let at = 1; at < words.length; at += 1) {
    if (!/^-(?:exec|ok)$/.test(textAt(words, at))) continue;
    const length = words
      .slice(at)
      .findIndex(
        ({ text }, index) =>
          text === ";" || (text === "+" && textAt(words, at + index - 1) === "{}"),
      );
    if (length < 2) return markAll(words);
    // Paths that find gives begin with the folder that it was given, never with a dash.
    const found: ScriptWord = { text: "./", isKnown: false };
    const inner = words.slice(at + 1, at + length);
    const withPaths = inner.map((word) => (word.text === "{}" ? found : withFound(word)));
    starts.push({ words: withPaths, at: at + 1 });
    at += length;
  }
  return { marks, starts };
};

function withFound(word: ScriptWord): ScriptWord {
  return word.text.includes("{}") ? unknown : word;
}
