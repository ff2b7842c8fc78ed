/**
 * Ids as text that every database keeps. PostgreSQL refuses NUL, the SQLite of Node 22 cuts a text at it, and neither has a place for
 * half a surrogate pair. Such ids are escaped as in JSON; all others stay as they are, so that people find them.
 */

const suspicious = /[\0\\\uD800-\uDFFF]/;

export function toPlainText(text: string): string {
  return suspicious.test(text) ? JSON.stringify(text).slice(1, -1) : text;
}

export function fromPlainText(plain: string): string {
  // Written by `toPlainText`: one with a backslash has been escaped.
  return plain.includes("\\") ? (JSON.parse(`"${plain}"`) as string) : plain;
}

/** The same for what may be absent, as databases have it. */
export function toPlainOrNull(text: string | undefined): string | null {
  return text === undefined ? null : toPlainText(text);
}
