/** Array literal for PostgreSQL. The driver could encode it too, but only after querying the server's types on each connection. */

export function toArrayText(texts: readonly string[]): string {
  return `{${texts.map(quote).join(",")}}`;
}

function quote(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
