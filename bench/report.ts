/** Figures as lines of JSON for programs, or as a table for people. */
import type { Figure } from "./bench.ts";
import { findBench } from "./benches.ts";

export function toJsonLine(figure: Figure): string {
  return JSON.stringify(figure, (_key, value: unknown) =>
    typeof value === "number" ? Number(value.toPrecision(4)) : value,
  );
}

export function toTable(figures: readonly Figure[]): string {
  const header = ["bench", "subject", "figure", "ratio", "base", "goal", "met"];
  const rows = [header, ...figures.map(toRow)];
  const widths = header.map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function toRow(figure: Figure): string[] {
  const { bench, subject, goal, met } = figure;
  const verdict = [
    goal === undefined ? "" : `≤ ${goal}`,
    met === undefined ? "" : met ? "yes" : "NO",
  ];
  if ("metric" in figure) {
    return [bench, subject, `${toShort(figure.value)} ${figure.metric}`, "", "", ...verdict];
  }
  const { perUnit, ratio, base } = figure;
  const unit = findBench(bench)?.unit ?? "unit";
  return [bench, subject, `${toShort(perUnit)} µs/${unit}`, ratio.toFixed(2), base, ...verdict];
}

function toShort(value: number): string {
  return String(Number(value.toPrecision(3)));
}
