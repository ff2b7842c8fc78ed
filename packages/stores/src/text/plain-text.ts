/**
 * Encodes ids as text that every database can store. PostgreSQL refuses NUL, the SQLite of Node 22 truncates text at it, and neither can
 * store a lone surrogate. Such ids are escaped as in JSON; all others stay unchanged, so that people can find them.
 */

const suspicious = /[\0\\\uD800-\uDFFF]/;

export function toPlainText(text: string): string {
  return suspicious.test(text) ? JSON.stringify(text).slice(1, -1) : text;
}

export function fromPlainText(plain: string): string {
  // Written by `toPlainText`: a text with a backslash is escaped.
  return plain.includes("\\") ? (JSON.parse(`"${plain}"`) as string) : plain;
}

/** Like `toPlainText`, with null for undefined. */
export function toPlainOrNull(text: string | undefined): string | null {
  return text === undefined ? null : toPlainText(text);
}
