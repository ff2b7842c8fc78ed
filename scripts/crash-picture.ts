// Draws docs/images/crash.svg: a session whose process is killed in the middle of a tool call, and goes on in another one.

import { writeFileSync } from "node:fs";
import { join } from "node:path";

interface Step {
  readonly x: number;
  readonly row: 0 | 1;
  readonly label: string;
}

const width = 760;
const rows = [70, 190] as const;
const logY = 130;
const killedAt = 360;

const steps: readonly Step[] = [
  { x: 90, row: 0, label: "input" },
  { x: 180, row: 0, label: "model call" },
  { x: 280, row: 0, label: "pay() starts" },
  { x: 450, row: 1, label: "takes over" },
  { x: 560, row: 1, label: "model checks" },
  { x: 670, row: 1, label: "answer" },
];

const style = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .name { font-weight: 600 }
  .life { stroke: #1a7f64; stroke-width: 3 }
  .log { stroke: #6e7781; stroke-width: 10; stroke-linecap: round; opacity: .35 }
  .fact { fill: #1a7f64 }
  .write { stroke: #1a7f64; stroke-dasharray: 3 3 }
  .kill { stroke: #cf222e; stroke-width: 3 }
  .killed { fill: #cf222e; font-weight: 600 }
  @media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .killed { fill: #ff7b72 } .kill { stroke: #ff7b72 } }`;

const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} 240" role="img" aria-label="A process is killed while a tool pays a bill. Another process reads the log and goes on with the turn, without paying twice.">
<style>${style}
</style>
<text class="name" x="10" y="${rows[0] + 4}">process A</text>
<text class="name" x="10" y="${logY + 4}">log</text>
<text class="name" x="10" y="${rows[1] + 4}">process B</text>
<line class="log" x1="90" y1="${logY}" x2="${width - 20}" y2="${logY}"/>
<line class="life" x1="90" y1="${rows[0]}" x2="${killedAt}" y2="${rows[0]}"/>
<line class="life" x1="450" y1="${rows[1]}" x2="${width - 20}" y2="${rows[1]}"/>
${steps.map(draw).join("\n")}
<path class="kill" d="M${killedAt - 9} ${rows[0] - 9}l18 18m0 -18l-18 18"/>
<text class="killed" x="${killedAt + 18}" y="${rows[0] + 4}">kill -9: was the bill paid?</text>
<text x="${width - 20}" y="${rows[1] + 42}" text-anchor="end">pay() does not run twice: the model learns that its outcome is unknown</text>
</svg>
`;

writeFileSync(join(import.meta.dirname, "../docs/images/crash.svg"), svg);

/** A step on the line of its process, and the fact that it leaves in the log. */
function draw({ x, row, label }: Step): string {
  const y = rows[row];
  const textY = row === 0 ? y - 16 : y + 20;
  return `<circle class="fact" cx="${x}" cy="${y}" r="5"/><line class="write" x1="${x}" y1="${y}" x2="${x}" y2="${logY}"/><circle class="fact" cx="${x}" cy="${logY}" r="4"/><text x="${x}" y="${textY}" text-anchor="middle">${label}</text>`;
}
