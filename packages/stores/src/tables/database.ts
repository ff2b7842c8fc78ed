/** SQLite database as the tables use it: that of Node, or of a Durable Object. */

export type Value = string | number | null | Uint8Array;

export type Row = Record<string, unknown>;

export interface Statement {
  /** First row. */
  get(...values: Value[]): Row | undefined;
  all(...values: Value[]): Row[];
  run(...values: Value[]): unknown;
}

/** Errors of statements have an `errcode`: a result code of SQLite. */
export interface Database {
  prepare(sql: string): Statement;
}
