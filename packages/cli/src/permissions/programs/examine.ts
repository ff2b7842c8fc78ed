/** Examines a command by its program. Programs that are not known here have no marks. */
import type { ScriptWord } from "../bash/script.ts";
import type { Examine, Examined } from "./examined.ts";
import { isInput, markAll, nameOf, textAt } from "./examined.ts";
import { examineGit } from "./git.ts";
import { examineInterpreter } from "./interpreters.ts";
import { marksOf, optionsOf } from "./options.ts";
import { examinePackageManager } from "./package-managers.ts";
import { examineStarter } from "./starters.ts";
import { examineAwk, examineMake, examineSed, examineTar, examineTest } from "./text-programs.ts";

const shells = new Set([
  "ash",
  "bash",
  "csh",
  "dash",
  "fish",
  "ksh",
  "mksh",
  "rbash",
  "sh",
  "tcsh",
  "zsh",
]);

const own: Readonly<Record<string, Examine>> = {
  "[": examineTest,
  awk: examineAwk,
  gawk: examineAwk,
  git: examineGit,
  gmake: examineMake,
  gsed: examineSed,
  make: examineMake,
  mawk: examineAwk,
  npm: examinePackageManager,
  pnpm: examinePackageManager,
  sed: examineSed,
  tar: examineTar,
  test: examineTest,
  yarn: examinePackageManager,
};

export function examine(words: readonly ScriptWord[]): Examined {
  const examined = examinerOf(nameOf(textAt(words, 0)))(words);
  return { marks: [], starts: [], scripts: [], isTransparent: false, ...examined };
}

function examinerOf(name: string): Examine {
  if (shells.has(name)) return examineShell;
  if (Object.hasOwn(own, name)) return own[name] ?? markAll;
  const other = examineStarter(name) ?? examineInterpreter(name);
  if (other !== undefined) return other;
  const options = Object.hasOwn(optionsOf, name) ? optionsOf[name] : undefined;
  return (words) => ({ marks: options === undefined ? [] : marksOf(words, options) });
}

/** `bash -c script` is that script; `bash file` is a file of code; anything else may be code from anywhere. */
const examineShell: Examine = (words) => {
  const [program, first, second] = words;
  if (first === undefined || !words.every(({ isKnown }) => isKnown)) return markAll(words);
  if (/^-[elux]*c$/.test(first.text)) {
    const isRead = nameOf(program?.text ?? "") === "bash" && words.length === 3;
    return isRead && second !== undefined
      ? { scripts: [second.text], isTransparent: true }
      : markAll(words);
  }
  const file = words.findIndex(({ text }, index) => index > 0 && !/^-[eux]+$/.test(text));
  return file === -1 || isInput(textAt(words, file)) ? markAll(words) : {};
};
