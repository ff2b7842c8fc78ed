// What the tool of the simulation gives: lines of numbers, the same for the same page, some pages long and a few very long.

/** One page in fifty has ten times as much. */
const longEvery = 50;

export function outputOf(page: number, averageChars: number): string {
  const share = 0.5 + ((page * 2_654_435_761) % 1_000) / 1_000;
  const chars = Math.round(averageChars * share * (page % longEvery === 0 ? 10 : 1));
  const lines: string[] = [];
  for (let size = 0, line = 1; size < chars; line++) {
    const text = `line ${line} of page ${page}: ${(page * 7_919 + line * 104_729).toString(36)}`;
    lines.push(text);
    size += text.length + 1;
  }
  return lines.join("\n");
}
