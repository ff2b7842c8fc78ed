/** Input and output of a search, for any engine. */

export interface Search {
  /** A regular expression. */
  readonly pattern: string;
  /** Whether the pattern is plain text. */
  readonly literal: boolean;
  readonly ignoreCase: boolean;
  /** Lines to show before and after each match. */
  readonly context: number;
  /** Real path of a folder or file. */
  readonly real: string;
  /** The root that contains it. */
  readonly root: string;
  readonly isFile: boolean;
  /** Whether to include files that .gitignore excludes. */
  readonly ignored: boolean;
  /** Whether to search a file, by its path relative to `real`. */
  includes(path: string): boolean;
  readonly signal: AbortSignal;
  /** `real` as the model named it, for messages. */
  readonly path: string;
}

export interface FoundLine {
  /** Relative to the folder, with `/`; for a search in one file, its name. */
  readonly path: string;
  readonly line: number;
  readonly text: string;
  /** False for a context line. */
  readonly isMatch: boolean;
}

/** Yields files in order of path, and their lines in order. Ends when the consumer stops. Throws `FileError`: `invalid_pattern`. */
export type SearchEngine = (search: Search) => AsyncIterable<FoundLine>;

/** Larger files are skipped. */
export const maxSearchedBytes = 10_000_000;
