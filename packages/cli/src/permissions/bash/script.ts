/** A script of bash as the exact reader sees it: which simple commands run, in which order, and with which words. */

/**
 * One word after its quotes are removed. `isKnown` false: only the shell knows the rest, which follows `text`. Such a word may become any
 * number of words, each starting with `text`, or none if `text` is empty.
 */
export interface ScriptWord {
  readonly text: string;
  readonly isKnown: boolean;
  /** For a word that is not known, what follows `text`, with `*` for each part that only the shell knows. */
  readonly rest?: string;
  /** For a word that is not known: true if it is in quotes, and so becomes exactly one word. */
  readonly isOne?: boolean;
}

export interface Assignment {
  readonly name: string;
  readonly value: ScriptWord;
}

export interface Redirection {
  /** `read` and `write` name a file; `text` is a here-document or a here-string; `copy` copies or closes a descriptor. */
  readonly type: "read" | "write" | "text" | "copy";
  /** Path of the file, for `read` and `write`. */
  readonly path: ScriptWord;
  /** The text, if it is known, for `text`. */
  readonly content?: string;
}

export interface SimpleCommand {
  readonly type: "simple";
  readonly assignments: readonly Assignment[];
  readonly words: readonly ScriptWord[];
  readonly redirections: readonly Redirection[];
  /** As written, without what separates it from others. */
  readonly source: string;
}

export type ScriptNode =
  | SimpleCommand
  /** Commands after one another: `then` for `;` and line breaks. */
  | {
      readonly type: "and" | "or" | "then";
      readonly first: ScriptNode;
      readonly second: ScriptNode;
    }
  | { readonly type: "not"; readonly inner: ScriptNode }
  /** Runs in a process of its own: a subshell, a part of a pipeline, a background command. */
  | { readonly type: "apart"; readonly parts: readonly ScriptNode[] }
  /** Redirections of a group, a subshell or a loop. */
  | {
      readonly type: "redirected";
      readonly inner: ScriptNode;
      readonly redirections: readonly Redirection[];
    }
  | {
      readonly type: "if";
      readonly condition: ScriptNode;
      readonly body: ScriptNode;
      readonly otherwise: ScriptNode | undefined;
    }
  | { readonly type: "loop"; readonly parts: readonly ScriptNode[] }
  /** `[[ … ]]` with files and texts: it runs nothing by itself. */
  | { readonly type: "test"; readonly words: readonly ScriptWord[]; readonly source: string }
  /** A command with substitutions among its words, which run before it, each in a process of its own. */
  | {
      readonly type: "expanded";
      readonly substitutions: readonly ScriptNode[];
      readonly inner: ScriptNode;
    };

export interface Script {
  readonly type: "script";
  readonly root: ScriptNode;
}

export interface NotSure {
  readonly type: "notSure";
  /** Completes "it …". */
  readonly problem: string;
}
