/** A small `patch`, to see that a diff says the truth. Throws if its context is not there. */
export function applyDiff(before: string, diff: string): string {
  const source = before.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const result: string[] = [];
  let at = 0;
  const text = diff.replaceAll("\n\\ No newline at end of file\n", "\0");
  for (const line of (text.match(/[^\n\0]*[\n\0]/g) ?? []).slice(2)) {
    const content = line.endsWith("\0") ? line.slice(1, -1) : line.slice(1);
    const header = /^@@ -(\d+),(\d+) \+\d+,\d+ @@/.exec(line);
    if (header !== null) {
      const start = Number(header[1]) - (header[2] === "0" ? 0 : 1);
      result.push(...source.slice(at, start));
      at = start;
      continue;
    }
    if (!line.startsWith("+")) {
      if (source[at] !== content)
        throw new Error(`line ${at + 1} is not ${JSON.stringify(content)}`);
      at += 1;
    }
    if (!line.startsWith("-")) result.push(content);
  }
  return [...result, ...source.slice(at)].join("");
}
