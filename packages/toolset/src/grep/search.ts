/** What a search is asked for and what it finds, whoever does it. */

export interface Search {
  /** A regular expression. */
  readonly pattern: string;
  /** The pattern is a text, not an expression. */
  readonly literal: boolean;
  readonly ignoreCase: boolean;
  /** Lines to show before and after each match. */
  readonly context: number;
  /** By its real path: a folder, or a file. */
  readonly real: string;
  /** The root that it is in. */
  readonly root: string;
  readonly isFile: boolean;
  /** Whether files that .gitignore leaves out are looked at, too. */
  readonly ignored: boolean;
  /** Whether a file is looked at, by its path from `real`. */
  includes(path: string): boolean;
  readonly signal: AbortSignal;
  /** For messages: `real` as the model named it. */
  readonly path: string;
}

export interface FoundLine {
  /** From the folder, with `/`; of a search in one file, its name. */
  readonly path: string;
  readonly line: number;
  readonly text: string;
  /** False for a line of the context. */
  readonly isMatch: boolean;
}

/** Files in order of path, lines in their order. It ends when the reader stops. Throws `FileError`: `invalid_pattern`. */
export type SearchEngine = (search: Search) => AsyncIterable<FoundLine>;

/** Larger files are passed over. */
export const maxSearchedBytes = 10_000_000;
