/** bench/RESULTS.md from the figures of one run. */
import type { Figure } from "./bench.ts";
import { goalsTable } from "./goals-table.ts";
import { markdownTable } from "./markdown-table.ts";
import { toShort } from "./short-number.ts";

/** Turns on a durable store. */
export interface DurableFigure {
  readonly name: string;
  readonly turnsPerSecond: number;
  /** How many times as many Capstan runs. */
  readonly ratio: number;
  /** Goal of the ratio; none for Capstan itself. */
  readonly goal?: number;
  /** CPU time of a turn, in milliseconds. */
  readonly clientMs: number;
  readonly serverMs: number;
}

/** How often an approved refund was made whose process was killed, and what the agent said afterwards. */
export interface Refunds {
  readonly name: string;
  readonly count: number;
  readonly answer: string;
}

export interface Results {
  readonly date: string;
  readonly machine: string;
  readonly rounds: number;
  readonly versions: Readonly<Record<string, string>>;
  readonly figures: readonly Figure[];
  readonly durable: readonly DurableFigure[];
  readonly refunds: readonly Refunds[];
}

/** A column of the tables: the subject of the benches, and its name for readers. */
const columns = [
  ["kernel", "Capstan, kernel"],
  ["session", "Capstan, session"],
  ["pi", "pi"],
  ["ai", "AI SDK"],
  ["openai-agents", "OpenAI Agents"],
  ["langgraph", "LangGraph"],
  ["mastra", "Mastra"],
] as const;
const peers = columns.slice(2);

/** A row of the table of loops. */
interface Row {
  readonly what: string;
  readonly bench: string;
  readonly metric?: string;
  readonly unit: string;
}

const rows: readonly Row[] = [
  { what: "B1: a step with a tool call", bench: "B1", unit: "µs" },
  { what: "B2: a text delta", bench: "B2", unit: "µs" },
  { what: "B2: live heap of a reply of 20,000 deltas", bench: "B2", metric: "heapMB", unit: "MB" },
  { what: "B3: a short turn after 10,000 messages", bench: "B3", unit: "µs" },
  { what: "B4: a turn, 1,000 at the same time", bench: "B4", unit: "µs" },
  { what: "B4: resident memory of each", bench: "B4", metric: "rssKB", unit: "KB" },
  { what: "B5: import, wall time", bench: "B5", metric: "wallMs", unit: "ms" },
  { what: "B5: import, resident memory", bench: "B5", metric: "rssMB", unit: "MB" },
  { what: "B5: direct dependencies", bench: "B5", metric: "dependencies", unit: "" },
];

/** A column of the table of B6. The vendor's SDK depends on the protocol. */
const wireColumns = [
  ["provider", "Capstan, provider and kernel"],
  ...peers,
  ["sdk", "the vendor's SDK"],
  ["floor", "floor"],
] as const;

const wireRows = [
  { what: "B6: a text delta from OpenAI (Responses)", protocol: "openai" },
  { what: "B6: a text delta from Anthropic (Messages)", protocol: "anthropic" },
] as const;

export function toResultsPage(results: Results): string {
  const { date, machine, rounds, versions, durable, refunds } = results;
  return `# Capstan beside other runtimes

Written by \`npm run bench:peers\` on ${date}: ${machine}, ${rounds} rounds, all in one run. CPU time, so less is better.
[README.md](README.md) says how each figure is measured.

A session of Capstan stores every fact before it shows it, here in memory. The other runtimes keep the conversation in
memory and no log, so a process that dies loses its turn. The kernel is Capstan's loop alone, which compares best with them.

${markdownTable(
  ["", ...columns.map(([, title]) => title)],
  rows.map((row) => [row.what, ...columns.map(([subject]) => cell(results, row, subject))]),
)}

## Where Capstan is not ahead

${behind(results)}

## From the wire to the message

A reply of 5,000 deltas over HTTP, from its bytes to the final message. Each runtime runs its loop on its own provider,
without tools. The floor is \`fetch\`, line split and \`JSON.parse\`. OpenAI Agents has a provider of OpenAI alone.

${markdownTable(
  ["", ...wireColumns.map(([, title]) => title)],
  wireRows.map(({ what, protocol }) => [
    what,
    ...wireColumns.map(([subject]) => cell(results, wireRow(what), wireSubject(subject, protocol))),
  ]),
)}

## From the server to the page

${pageTable(results)}

## Durable turns

The same turn, three model calls and two tool calls, 50 sessions at a time in one process. Capstan, DBOS and LangGraph store
on one PostgreSQL; Restate has a server of its own. Only Capstan records an intent before each tool call.

${markdownTable(
  ["", "turns a second", "Capstan runs", "goal", "CPU of a turn: client", "server"],
  durable.map(({ name, turnsPerSecond, ratio, goal, clientMs, serverMs }) => [
    name,
    turnsPerSecond.toFixed(0),
    goal === undefined ? "" : `${ratio.toFixed(1)} × as many`,
    goal === undefined ? "" : `≥ ${goal} ×`,
    `${clientMs.toFixed(2)} ms`,
    `${serverMs.toFixed(2)} ms`,
  ]),
)}

## The goals of Capstan

What a figure means is in [README.md](README.md); \`×\` compares it with the least code that does the same work. Missed goals
are listed there, with what was tried.

${goalsTable(results.figures)}

## A refund that is killed

A tool refunds an order after a person has approved it. The process is killed with SIGKILL after the money has left and
before the tool returns. Another process then continues in the way that the documentation of the runtime describes
(\`bench/refund\`).

${markdownTable(
  ["", "refunds", "the agent says"],
  refunds.map(({ name, count, answer }) => [name, String(count), answer]),
)}

LangGraph and OpenAI Agents run the tool again and leave it to the tool to notice. In Capstan a tool runs at most once unless
it declares that it may run again; the model learns that the outcome is unknown.

## Versions

Each is the newest version whose dependencies were all in the registry.

${Object.entries(versions)
  .map(([name, version]) => `- \`${name}\` ${version}`)
  .join("\n")}
`;
}

function cell(results: Results, row: Row, subject: string): string {
  const value = valueOf(results, row, subject);
  return value === undefined ? "–" : `${toShort(value)} ${row.unit}`.trim();
}

function valueOf({ figures }: Results, row: Row, subject: string): number | undefined {
  const figure = figures.find(
    (each) =>
      each.bench === row.bench &&
      each.subject === subject &&
      ("metric" in each ? each.metric : undefined) === row.metric,
  );
  if (figure === undefined) return undefined;
  return "metric" in figure ? figure.value : figure.perUnit;
}

function wireRow(what: string): Row {
  return { what, bench: "B6", unit: "µs" };
}

/** The name that B6 gives to the figure of a column. */
function wireSubject(subject: string, protocol: string): string {
  return `${subject === "sdk" ? `${protocol}-sdk` : subject}, ${protocol}`;
}

/** Every figure in which a peer needs less than a session of Capstan, or than its provider. */
function behind(results: Results): string {
  const lines = rows.flatMap((row) => {
    const ours = valueOf(results, row, "session");
    if (ours === undefined) return [];
    return peers.flatMap(([subject, title]) => {
      const theirs = valueOf(results, row, subject);
      if (theirs === undefined || theirs >= ours) return [];
      const kernel = valueOf(results, row, "kernel");
      const aside = kernel === undefined ? "" : ` (the kernel: ${toShort(kernel)} ${row.unit})`;
      return `- ${row.what}: ${title} ${toShort(theirs)} ${row.unit}, a session ${toShort(ours)} ${row.unit}${aside}`;
    });
  });
  const wire = wireRows.flatMap(({ what, protocol }) => {
    const of = (subject: string): number | undefined =>
      valueOf(results, wireRow(what), wireSubject(subject, protocol));
    const ours = of("provider");
    if (ours === undefined) return [];
    return peers.flatMap(([subject, title]) => {
      const theirs = of(subject);
      if (theirs === undefined || theirs >= ours) return [];
      return `- ${what}: ${title} ${toShort(theirs)} µs, Capstan's provider ${toShort(ours)} µs`;
    });
  });
  const slower = results.durable
    .filter(({ name, ratio }) => name !== "capstan" && ratio < 1)
    .map(({ name, turnsPerSecond }) => `- Durable turns: ${name} ${turnsPerSecond.toFixed(0)}/s`);
  const all = [...lines, ...wire, ...slower];
  return all.length === 0 ? "In none of these figures." : all.join("\n");
}

function pageTable({ figures }: Results): string {
  const titles: Readonly<Record<string, string>> = {
    B7: "B7: a delta to a client, with its id",
    B13: "B13: a delta to a page of the AI SDK",
  };
  const measured = figures.filter(({ bench }) => bench in titles);
  return markdownTable(
    ["", "subject", "per delta", "ratio"],
    measured.map((figure) => [
      titles[figure.bench] ?? "",
      figure.subject,
      "metric" in figure
        ? `${toShort(figure.value)} ${figure.metric}`
        : `${toShort(figure.perUnit)} µs`,
      "metric" in figure ? "" : `${figure.ratio.toFixed(2)} × ${figure.base}`,
    ]),
  );
}
