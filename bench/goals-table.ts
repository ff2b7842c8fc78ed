/** Every figure of a run that has a goal, as a table. */
import type { Figure } from "./bench.ts";
import { findBench } from "./benches.ts";
import { markdownTable } from "./markdown-table.ts";
import { toShort } from "./short-number.ts";

export function goalsTable(figures: readonly Figure[]): string {
  const judged = figures.filter(({ goal }) => goal !== undefined);
  return markdownTable(["", "of", "measured", "goal", "met"], judged.map(toRow));
}

function toRow(figure: Figure): string[] {
  const { bench, subject, goal = 0, met } = figure;
  const row = [`${bench}: ${findBench(bench)?.what ?? ""}`, subject];
  const verdict = met === true ? "yes" : "**no**";
  if ("metric" in figure) {
    const { metric, value } = figure;
    return [...row, `${metric}: ${toShort(value)}`, `≤ ${goal}`, verdict];
  }
  const { perUnit, ratio, base } = figure;
  const measured = `${ratio.toFixed(2)} × \`${base}\` (${toShort(perUnit)} µs)`;
  return [...row, measured, `≤ ${goal} ×`, verdict];
}
