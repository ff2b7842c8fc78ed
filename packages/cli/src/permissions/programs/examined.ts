/** Facts about the words of one command that decide which rules may allow it. */
import type { ScriptWord } from "../bash/script.ts";

/** A command that another one starts. */
export interface StartedCommand {
  readonly words: readonly ScriptWord[];
  /** Folder in which it runs, if not the one of the command that starts it. */
  readonly folder?: ScriptWord;
  /** Index of its program among the words of the command that starts it; absent if its words are not all there. */
  readonly at?: number;
}

export interface Examined {
  /**
   * Indexes of words that make the program do more than its name says, for example start another one. A rule that allows the command must
   * contain each of them word for word.
   */
  readonly marks: readonly number[];
  readonly starts: readonly StartedCommand[];
  /** Scripts of bash among the words. */
  readonly scripts: readonly string[];
  /** True if the command does nothing but run what it starts: then it needs no rule of its own. */
  readonly isTransparent: boolean;
}

export type Examine = (words: readonly ScriptWord[]) => Partial<Examined>;

/** Every word, and the end: only a rule with exactly these words allows the command. */
export function allMarks(words: readonly ScriptWord[]): readonly number[] {
  return [...words.keys(), words.length];
}

export const markAll: Examine = (words) => ({ marks: allMarks(words) });

export function textAt(words: readonly ScriptWord[], index: number): string {
  return words[index]?.text ?? "";
}

/** True for an option, and for another name of the input: no file of code. */
export function isInput(text: string): boolean {
  return /^-|^\/dev\/|^\/proc\//.test(text);
}

/** Name of the program without its folder. */
export function nameOf(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1);
}

/** True if only the shell knows the word, and it may be anything that an option or a subcommand is. */
export function mayBeAnything({ text, isKnown }: ScriptWord): boolean {
  return !isKnown && !/^[^-].*\/|^\.\.?\//.test(text);
}
