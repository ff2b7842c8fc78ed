/** A table in Markdown. */
export function markdownTable(
  header: readonly string[],
  lines: readonly (readonly string[])[],
): string {
  return [toLine(header), toLine(header.map(() => "---")), ...lines.map(toLine)].join("\n");
}

function toLine(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}
