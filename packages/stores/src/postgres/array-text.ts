/** A list as PostgreSQL reads it. The driver could do that too, but only after it has asked the server for its types on each connection. */

export function toArrayText(texts: readonly string[]): string {
  return `{${texts.map(quote).join(",")}}`;
}

function quote(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
