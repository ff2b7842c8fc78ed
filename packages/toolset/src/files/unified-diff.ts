/** Computes a unified diff of two texts, for people: in the details of `write` and `edit`. */

const contextLines = 3;
/** The search is quadratic in this number. Texts that differ more are shown as one block. */
const maxDifferences = 400;

interface Change {
  readonly kind: " " | "-" | "+";
  readonly line: string;
}

/** Empty if the texts are equal. */
export function unifiedDiff(path: string, before: string, after: string): string {
  if (before === after) return "";
  const changes = compare(toLines(before), toLines(after));
  return `--- ${path}\n+++ ${path}\n${hunksOf(changes).join("")}`;
}

/** Lines include their ends, so that a change of line ends is a change. */
function toLines(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function compare(before: readonly string[], after: readonly string[]): readonly Change[] {
  let start = 0;
  const shorter = Math.min(before.length, after.length);
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return [
    ...before.slice(0, start).map((line) => ({ kind: " " as const, line })),
    ...compareMiddle(
      before.slice(start, before.length - end),
      after.slice(start, after.length - end),
    ),
    ...before.slice(before.length - end).map((line) => ({ kind: " " as const, line })),
  ];
}

/** Finds the shortest edit script with Myers's algorithm (An O(ND) Difference Algorithm, 1986). */
function compareMiddle(before: readonly string[], after: readonly string[]): readonly Change[] {
  const furthest = new Map<number, number>([[1, 0]]);
  const trace: ReadonlyMap<number, number>[] = [];
  for (let differences = 0; differences <= maxDifferences; differences += 1) {
    trace.push(new Map(furthest));
    for (let diagonal = -differences; diagonal <= differences; diagonal += 2) {
      let left = nextLeft(furthest, diagonal, differences);
      while (left < before.length && before[left] === after[left - diagonal]) left += 1;
      furthest.set(diagonal, left);
      if (left >= before.length && left - diagonal >= after.length) {
        return walkBack(trace, before, after);
      }
    }
  }
  return [
    ...before.map((line) => ({ kind: "-" as const, line })),
    ...after.map((line) => ({ kind: "+" as const, line })),
  ];
}

function nextLeft(
  furthest: ReadonlyMap<number, number>,
  diagonal: number,
  differences: number,
): number {
  const down = furthest.get(diagonal + 1) ?? 0;
  const right = (furthest.get(diagonal - 1) ?? 0) + 1;
  if (diagonal === -differences) return down;
  return diagonal !== differences && right <= down ? down : right;
}

function walkBack(
  trace: readonly ReadonlyMap<number, number>[],
  before: readonly string[],
  after: readonly string[],
): readonly Change[] {
  const changes: Change[] = [];
  let left = before.length;
  let right = after.length;
  for (let differences = trace.length - 1; differences >= 0; differences -= 1) {
    const furthest = trace[differences] ?? new Map<number, number>();
    const diagonal = left - right;
    const start = nextLeft(furthest, diagonal, differences);
    const isInsertion = start === (furthest.get(diagonal + 1) ?? 0) && diagonal !== differences;
    const common = differences === 0 ? 0 : start;
    while (left > common) {
      left -= 1;
      right -= 1;
      changes.push({ kind: " ", line: before[left] ?? "" });
    }
    if (differences === 0) break;
    if (isInsertion) {
      right -= 1;
      changes.push({ kind: "+", line: after[right] ?? "" });
    } else {
      left -= 1;
      changes.push({ kind: "-", line: before[left] ?? "" });
    }
  }
  return changes.toReversed();
}

function hunksOf(changes: readonly Change[]): readonly string[] {
  const hunks: string[] = [];
  let [leftLine, rightLine, done] = [1, 1, 0];
  for (const [start, end] of rangesOf(changes)) {
    const skipped = start - done;
    const shown = changes.slice(start, end);
    const left = shown.filter(({ kind }) => kind !== "+").length;
    const right = shown.filter(({ kind }) => kind !== "-").length;
    leftLine += skipped;
    rightLine += skipped;
    hunks.push(
      `@@ -${toRange(leftLine, left)} +${toRange(rightLine, right)} @@\n`,
      ...shown.map(toDiffLine),
    );
    leftLine += left;
    rightLine += right;
    done = end;
  }
  return hunks;
}

/** Groups changes whose contexts touch. */
function rangesOf(changes: readonly Change[]): readonly (readonly [number, number])[] {
  const ranges: [number, number][] = [];
  for (const [index, { kind }] of changes.entries()) {
    if (kind === " ") continue;
    const start = Math.max(0, index - contextLines);
    const end = Math.min(changes.length, index + contextLines + 1);
    const last = ranges.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = end;
    else ranges.push([start, end]);
  }
  return ranges;
}

function toRange(line: number, count: number): string {
  return `${count === 0 ? line - 1 : line},${count}`;
}

function toDiffLine({ kind, line }: Change): string {
  return line.endsWith("\n") ? `${kind}${line}` : `${kind}${line}\n\\ No newline at end of file\n`;
}
