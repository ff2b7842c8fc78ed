/** Programs whose words are programs themselves: `sed`, `awk`, `make`. */
import type { ScriptWord } from "../bash/script.ts";
import type { Examine } from "./examined.ts";
import { mayBeAnything } from "./examined.ts";
import { marksOf, optionsOf } from "./options.ts";

const sedAddress = String.raw`(?:\d+|\$|/(?:[^/\\\n]|\\.)*/I?|\d+~\d+|\+\d+)`;
const sedRange = String.raw`(?:${sedAddress}(?:[ \t]*,[ \t]*${sedAddress})?[ \t]*(?:![ \t]*)?)?`;
const substitution = ["/", "|", "#", ",", "@", ":", "_", "%"]
  .map((mark) => {
    const own = mark === "|" ? String.raw`\|` : mark;
    const text = String.raw`(?:[^${own}\\\n]|\\[^])*`;
    return `s${own}${text}${own}${text}${own}[gpIi0-9]*`;
  })
  .join("|");
const sedCommand = String.raw`${sedRange}(?:[aic][^\n]*|[pdDPNnqQ=hHgGxl]|${substitution}|[qQ][ \t]*\d+)`;
/** Scripts that only print, insert, delete and replace: no `e`, which runs a command, and no `w`, which writes a file. */
const plainSed = new RegExp(String.raw`^[;\n \t]*(?:${sedCommand}[ \t]*(?:[;\n][;\n \t]*|$))+$`);

export const examineSed: Examine = (words) => {
  const marks: number[] = [];
  let hasScript = words.some(({ text }) => /^-[a-zA-Z]*e$|^--expression/.test(text));
  let isScriptNext = false;
  for (const [index, word] of words.entries()) {
    if (index === 0) continue;
    const { text, isKnown } = word;
    if (isScriptNext) {
      if (!isKnown || !plainSed.test(text)) marks.push(index);
      isScriptNext = false;
    } else if (text.startsWith("-") && text.length > 1) {
      isScriptNext = /^-[nErsuz]*e$|^--expression$/.test(text);
      // -i makes a file, and takes a suffix: nothing may follow it but that.
      const isPlain =
        /^-[nErsuz]*e?$|^-i(?:\.\w+)?$|^-[nErsuz]+i$|^--(?:quiet|silent|regexp-extended|in-place|null-data|separate|expression|debug|posix|version|help)$/.test(
          text,
        );
      if (!isKnown || !isPlain) marks.push(index);
    } else if (!hasScript) {
      if (!isKnown || !plainSed.test(text)) marks.push(index);
      hasScript = true;
    } else if (mayBeAnything(word)) marks.push(index);
  }
  return { marks };
};

/** Starts programs, reads or writes files, or calls functions by names that only the program knows. */
function isDangerousAwk(program: string): boolean {
  const printsAt = program.indexOf("print");
  const printsTo = printsAt !== -1 && program.includes(">", printsAt);
  return printsTo || /system|getline|@|(?<!\|)\|(?!\|)/.test(program);
}

export const examineAwk: Examine = (words) => {
  const marks: number[] = [];
  let hasProgram = false;
  for (let index = 1; index < words.length; index += 1) {
    const word = words[index];
    if (word === undefined) break;
    const { text, isKnown } = word;
    if (hasProgram) {
      if (mayBeAnything(word)) marks.push(index);
    } else if (/^-[Fv]$/.test(text)) {
      index += 1;
      if (words[index]?.isKnown === false) marks.push(index);
    } else if (text.startsWith("-")) {
      if (!isKnown || !/^-[Fv].|^--(?:version|help)$/.test(text)) marks.push(index);
    } else {
      if (!isKnown || isDangerousAwk(text)) marks.push(index);
      hasProgram = true;
    }
  }
  return { marks };
};

const binary = /^(?:=|==|!=|<|>|-(?:eq|ne|gt|ge|lt|le|nt|ot|ef))$/;
const unary = /^-[a-uw-zA-QS-Z]$/;

/** `test` and `[`: with `-v` bash evaluates an index, which may be a command. Other forms only compare. */
export const examineTest: Examine = (words) => {
  const given = words.slice(1, words.at(-1)?.text === "]" ? -1 : undefined);
  const [first, second] = given;
  // A word that becomes several may bring operators of its own.
  const areSingle = given.every(({ isKnown, isOne }) => isKnown || isOne === true);
  const isComparison = given.length === 3 && second?.isKnown === true && binary.test(second.text);
  const isCheck = given.length === 2 && first?.isKnown === true && unary.test(first.text);
  return {
    marks: areSingle && (isComparison || isCheck) ? [] : marksOf(words, { words: ["-v", "-R"] }),
  };
};

/** The first word of `tar` may be a cluster of options without a dash. */
export const examineTar: Examine = (words) => {
  const marks = marksOf(words, optionsOf["tar"] ?? {});
  return { marks: /^[A-Za-z]*[IF]/.test(words[1]?.text ?? "") ? [1, ...marks] : marks };
};

/** Variables of make that choose the shell or a program. */
const makeVariable = /^([\w.]+)\s*(?:\+|\?|:{0,3})=(.*)$/s;
const shellVariable = /SHELL|MAKE|FLAGS$/;

export const examineMake: Examine = (words) => {
  const at = words.findIndex(({ text }) => /^-C$|^--directory$/.test(text));
  const folder = words[at + 1];
  if (at > 0 && folder !== undefined) {
    const rest = [...words.slice(0, at), ...words.slice(at + 2)];
    return { marks: [at, at + 1], starts: [{ words: rest, folder }], isTransparent: true };
  }
  return { marks: [...words.keys()].filter((index) => index > 0 && isMakeMark(words[index])) };
};

function isMakeMark(word: ScriptWord | undefined): boolean {
  if (word === undefined || !word.isKnown) return true;
  const { text } = word;
  const [, name, value = ""] = makeVariable.exec(text) ?? [];
  if (name !== undefined) return shellVariable.test(name) || !/^[\w.+:,@-]*$/.test(value);
  if (!text.startsWith("-")) return false;
  return !/^-(?:[Bksniqtwd]+|j\d*|\d+)$|^--(?:always-make|keep-going|silent|quiet|dry-run|just-print|jobs(?:=\d+)?|version|help|no-print-directory|question|debug)$/.test(
    text,
  );
}
