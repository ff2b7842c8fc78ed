/** docs/images/peers.svg: bars of the figures that a reader of the README wants to see. */
import type { Results } from "./results-page.ts";
import { toShort } from "./short-number.ts";

interface Bar {
  readonly label: string;
  readonly value: number;
  readonly isOurs: boolean;
}

interface Chart {
  readonly title: string;
  readonly unit: string;
  readonly bars: readonly Bar[];
}

const width = 760;
const labelWidth = 170;
const barWidth = 470;
const barHeight = 18;
const gap = 6;
const titleHeight = 34;

const style = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .title { font-weight: 600 }
  .ours { fill: #1a7f64 }
  .peer { fill: #afb8c1 }
  @media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .ours { fill: #3fb98f } .peer { fill: #57606a } }`;

const loops = [
  ["session", "Capstan, with a log"],
  ["pi", "pi"],
  ["ai", "AI SDK"],
  ["openai-agents", "OpenAI Agents"],
  ["langgraph", "LangGraph"],
  ["mastra", "Mastra"],
] as const;
const durableNames: Readonly<Record<string, string>> = {
  capstan: "Capstan",
  restate: "Restate",
  dbos: "DBOS",
  langgraph: "LangGraph",
};

export function toResultsPicture(results: Results): string {
  const charts = [stepsOf(results), durableOf(results)].filter(({ bars }) => bars.length > 0);
  const parts: string[] = [];
  let y = 0;
  for (const chart of charts) {
    parts.push(draw(chart, y));
    y += titleHeight + chart.bars.length * (barHeight + gap) + 10;
  }
  const label = charts.map(({ title }) => title).join("; ");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y}" role="img" aria-label="${label}">
<style>${style}
</style>
${parts.join("\n")}
</svg>
`;
}

function stepsOf({ figures }: Results): Chart {
  const bars = loops.flatMap(([subject, label]): Bar[] => {
    const figure = figures.find((each) => each.bench === "B1" && each.subject === subject);
    if (figure === undefined || "metric" in figure) return [];
    return [{ label, value: figure.perUnit, isOurs: subject === "session" }];
  });
  return { title: "CPU of a step with a tool call (less is better)", unit: "µs", bars };
}

function durableOf({ durable }: Results): Chart {
  const bars = durable.map(({ name, turnsPerSecond }): Bar => ({
    label: durableNames[name] ?? name,
    value: turnsPerSecond,
    isOurs: name === "capstan",
  }));
  return { title: "Durable turns a second, one process (more is better)", unit: "/s", bars };
}

function draw({ title, unit, bars }: Chart, top: number): string {
  const largest = Math.max(...bars.map(({ value }) => value));
  const lines = bars.map(({ label, value, isOurs }, index) => {
    const y = top + titleHeight + index * (barHeight + gap);
    const length = Math.max(2, (value / largest) * barWidth);
    const textY = y + barHeight - 5;
    return `<text x="${labelWidth - 10}" y="${textY}" text-anchor="end">${label}</text><rect class="${isOurs ? "ours" : "peer"}" x="${labelWidth}" y="${y}" width="${length.toFixed(1)}" height="${barHeight}" rx="3"/><text x="${(labelWidth + length + 8).toFixed(1)}" y="${textY}">${toShort(Number(value.toPrecision(2)))} ${unit}</text>`;
  });
  return [`<text class="title" x="10" y="${top + 20}">${title}</text>`, ...lines].join("\n");
}
