// Draws the cells of a terminal as SVG: real letters in real colours, without a program that takes screenshots.

import type { IBufferCell, Terminal } from "@xterm/headless";

export interface Palette {
  readonly background: string;
  readonly foreground: string;
  /** The 16 colours of terminals, by their numbers. */
  readonly colours: readonly string[];
}

export const dark: Palette = {
  background: "#16181d",
  foreground: "#d7dae0",
  colours: [
    ...["#2b2f37", "#e06c75", "#7fb069", "#d8a657", "#6ba4e7", "#c586c0", "#56b6c2", "#c8ccd4"],
    ...["#7d8590", "#ff8a8f", "#98d982", "#f0c674", "#82b8ff", "#d7a1e8", "#6fd3de", "#ffffff"],
  ],
};

export const light: Palette = {
  background: "#ffffff",
  foreground: "#24292f",
  colours: [
    ...["#24292f", "#c4222e", "#1a7f37", "#8a5a00", "#0757ba", "#8034c4", "#116d7a", "#57606a"],
    ...["#6e7781", "#a40e26", "#2da44e", "#bf8700", "#218bff", "#a475f9", "#3192aa", "#24292f"],
  ],
};

const cellWidth = 8.4;
const lineHeight = 18;
const margin = 14;
const fontSize = 14;

interface Run {
  readonly column: number;
  readonly style: string;
  readonly background: string | undefined;
  text: string;
  cells: number;
}

/** Rows of the window up to the last one that is not empty. */
export function toSvg(terminal: Terminal, palette: Palette, title: string): string {
  const { active } = terminal.buffer;
  const rows = Array.from({ length: terminal.rows }, (_, row) =>
    runsOf(terminal, active.baseY + row, palette),
  );
  const count = rows.findLastIndex((runs) => runs.some(({ text }) => text.trim() !== "")) + 1;
  const width = Math.ceil(terminal.cols * cellWidth + 2 * margin);
  const height = count * lineHeight + 2 * margin;
  const lines = rows.slice(0, count).flatMap((runs, row) => runs.flatMap((run) => draw(run, row)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escape(title)}</title>`,
    `<rect width="${width}" height="${height}" rx="8" fill="${palette.background}" stroke="#8b949e" stroke-opacity="0.4"/>`,
    `<g font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="${fontSize}" fill="${palette.foreground}">`,
    ...lines,
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

/** Cells of one style beside each other. */
function runsOf(terminal: Terminal, line: number, palette: Palette): readonly Run[] {
  const cells = terminal.buffer.active.getLine(line);
  const runs: Run[] = [];
  for (let column = 0; column < terminal.cols; column += 1) {
    const cell = cells?.getCell(column);
    // The second half of a wide letter.
    if (cell === undefined || cell.getWidth() === 0) continue;
    const style = styleOf(cell, palette);
    const background = backgroundOf(cell, palette);
    const last = runs.at(-1);
    const isSame = last?.style === style && last.background === background && cell.getWidth() === 1;
    if (last !== undefined && isSame && last.column + last.cells === column) {
      last.text += cell.getChars() || " ";
      last.cells += 1;
    } else {
      runs.push({
        column,
        style,
        background,
        text: cell.getChars() || " ",
        cells: cell.getWidth(),
      });
    }
  }
  return runs;
}

function styleOf(cell: IBufferCell, palette: Palette): string {
  const colour = cell.isInverse() ? palette.background : colourOf(cell, palette);
  return [
    colour === palette.foreground ? "" : ` fill="${colour}"`,
    cell.isBold() ? ' font-weight="bold"' : "",
    cell.isDim() ? ' fill-opacity="0.62"' : "",
    cell.isItalic() ? ' font-style="italic"' : "",
    cell.isUnderline() ? ' text-decoration="underline"' : "",
    cell.isStrikethrough() ? ' text-decoration="line-through"' : "",
  ].join("");
}

function colourOf(cell: IBufferCell, { colours, foreground }: Palette): string {
  return cell.isFgPalette() ? (colours[cell.getFgColor()] ?? foreground) : foreground;
}

function backgroundOf(cell: IBufferCell, palette: Palette): string | undefined {
  if (cell.isInverse()) return colourOf(cell, palette);
  return cell.isBgPalette() ? palette.colours[cell.getBgColor()] : undefined;
}

function draw({ column, style, background, text, cells }: Run, row: number): readonly string[] {
  const indent = text.length - text.trimStart().length;
  const x = round(margin + column * cellWidth);
  const textX = round(margin + (column + indent) * cellWidth);
  const top = margin + row * lineHeight;
  const width = round(cells * cellWidth);
  const behind =
    background === undefined
      ? []
      : [
          `<rect x="${x}" y="${top}" width="${width}" height="${lineHeight}" fill="${background}"/>`,
        ];
  const trimmed = text.trim();
  if (trimmed === "") return behind;
  // The width is given, so that other fonts do not move what follows. Browsers would join spaces.
  const textWidth = round((cells - (text.length - trimmed.length)) * cellWidth);
  const kept = escape(trimmed).replaceAll(" ", "\u00A0");
  return [
    ...behind,
    `<text x="${textX}" y="${top + fontSize}" textLength="${textWidth}" lengthAdjust="spacingAndGlyphs"${style}>${kept}</text>`,
  ];
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
