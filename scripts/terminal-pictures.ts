// `npm run pictures`: drives the real terminal and writes its screens to docs/images. The same run gives the same files.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@capstan/core";
import { exportSession, importSession } from "@capstan/log";
import { sqlite } from "@capstan/stores/sqlite";
import type { ScriptItem } from "@capstan/testing";
import { callTool, say, scriptedProvider, think, usage } from "@capstan/testing";
import type { Io } from "../packages/cli/src/process/io.ts";
import { run } from "../packages/cli/src/process/run.ts";
import { agentNameOf } from "../packages/cli/src/session/folder-agent.ts";
import type { HeadlessTerminal } from "../packages/cli/test/terminal/headless-terminal.ts";
import { headlessTerminal } from "../packages/cli/test/terminal/headless-terminal.ts";
import type { Palette } from "./screen-to-svg.ts";
import { dark, light, toSvg } from "./screen-to-svg.ts";

const images = join(import.meta.dirname, "../docs/images");
const startedAt = Date.UTC(2026, 10, 17, 9);
const enter = "\r";

interface Scene {
  readonly name: string;
  readonly title: string;
  readonly palette?: Palette;
  readonly size?: { readonly columns?: number; readonly rows?: number };
  readonly argv?: readonly string[];
  readonly script: readonly ScriptItem[];
  /** Resolves when the screen is as it shall be shown. */
  readonly play: (terminal: HeadlessTerminal, place: Place) => Promise<void>;
}

interface Place {
  readonly home: string;
  readonly cwd: string;
  /** Moves the clock of the command. */
  readonly pass: (ms: number) => void;
}

async function send(terminal: HeadlessTerminal, text: string): Promise<void> {
  terminal.type(text);
  terminal.type(enter);
  await terminal.until((lines) => !lines.includes(text));
}

const answer = [
  "The tide table is read in `src/tides.ts`. Two things are worth a look:",
  "",
  "1. **Heights are in feet**, while `depthAt` expects metres.",
  "2. The last row of each month is skipped:",
  "",
  "```ts",
  "for (let day = 1; day < days; day += 1) {",
  "  table.push(heightAt(day)); // never the last day",
  "}",
  "```",
  "",
  "Shall I correct both?",
].join("\n");

const conversation: Pick<Scene, "script" | "play"> = {
  script: [
    [
      think("The table must be read somewhere."),
      callTool("grep", { pattern: "tide", path: "src" }),
    ],
    [say(answer), usage({ inputTokens: 8_400, outputTokens: 240, cacheReadTokens: 6_900 })],
  ],
  play: async (terminal) => {
    await send(terminal, "Where is the tide table read, and is it right?");
    await terminal.shows("Shall I correct both?");
    await terminal.until((lines) => !lines.join("\n").includes("esc interrupts"));
  },
};

const edit = callTool("edit", {
  path: "src/tides.ts",
  edits: [
    {
      old: "for (let day = 1; day < days; day += 1) {",
      new: "for (let day = 1; day <= days; day += 1) {",
    },
    { old: "  return feet;", new: "  return feet * 0.3048;" },
  ],
});

const scenes: readonly Scene[] = [
  { name: "conversation-dark", title: "A conversation on a dark terminal", ...conversation },
  {
    name: "conversation-light",
    title: "A conversation on a light terminal",
    palette: light,
    ...conversation,
  },
  {
    name: "narrow",
    title: "A conversation in 60 columns",
    size: { columns: 60, rows: 34 },
    ...conversation,
  },
  {
    name: "live-output",
    title: "A tool call with live output, and queued messages",
    argv: ["--allow", "bash(sh check.sh)"],
    script: [
      [say("I run the checks."), callTool("bash", { command: "sh check.sh" })],
      say("All green."),
    ],
    play: async (terminal, { pass }) => {
      await send(terminal, "Are the checks green?");
      await terminal.shows("tides: 31 days in January");
      pass(7_000);
      await send(terminal, "Only look at the tides");
      await terminal.shows("steering:");
      terminal.type("Then write");
      terminal.type("\u001b\r");
      await terminal.shows("follow-up:");
      terminal.type("and a change log");
      await terminal.shows("and a change log");
    },
  },
  {
    name: "permission",
    title: "A permission question with the diff of an edit",
    script: [[say("I correct both places."), edit], say("Done.")],
    play: async (terminal) => {
      await send(terminal, "Correct both.");
      await terminal.shows("No, and tell the model why");
    },
  },
  {
    name: "context",
    title: "What fills the context window",
    script: conversation.script,
    play: async (terminal, place) => {
      await conversation.play(terminal, place);
      terminal.type("\u000c");
      await send(terminal, "/context");
      await terminal.shows("tool results");
    },
  },
  {
    name: "resume",
    title: "Sessions to resume, with a filter and a preview",
    script: [],
    play: async (terminal, { home, cwd }) => {
      await writeSessions(home, cwd);
      await send(terminal, "/resume");
      await terminal.shows("Session (");
      for (const letter of "tide") terminal.type(letter);
      await terminal.shows("Heights are in feet");
    },
  },
];

/** Sessions with known ids, ages and ends. */
async function writeSessions(home: string, cwd: string): Promise<void> {
  const store = sqlite(join(home, ".local/share/capstan/sessions.db"));
  const held = [
    [
      "q3fd8s1vk2m0",
      "Where is the tide table read?",
      "Heights are in feet, while depthAt expects metres.",
      14,
    ],
    ["b7xw20hh41pe", "Rename the harbour module", "Renamed in 14 files.", 95],
    [
      "m1k9zz7ac5tu",
      "Why is the tide wrong in March?",
      "The last day of each month is skipped.",
      1_500,
    ],
    ["t5gq3nn8d0ra", "Write tests for depthAt", "Six tests, all green.", 8_700],
  ] as const;
  for (const [id, prompt, reply, minutes] of held) {
    const agent = agentNameOf(cwd);
    const provider = scriptedProvider([say(reply)]);
    await run([prompt], {
      ...ioIn({ home, cwd, now: () => startedAt - minutes * 60_000 }, provider),
    });
    const newest = (await store.list({ principal: cwd, limit: 20 })).sessions.find(
      ({ id: one }) => !held.some(([known]) => known === one) && one !== "",
    );
    if (newest === undefined) throw new Error(`No session was stored for "${prompt}" of ${agent}`);
    const lines = await Array.fromAsync(exportSession(store, newest.id));
    await store.delete(newest.id);
    await importSession(store, lines, { id, now: startedAt - minutes * 60_000, trust: "own" });
  }
  await store.close();
}

interface IoInit {
  readonly home: string;
  readonly cwd: string;
  readonly now: () => number;
}

function ioIn({ home, cwd, now }: IoInit, provider: ReturnType<typeof scriptedProvider>): Io {
  return {
    stdin: { kind: "none", read: async function* () {} },
    stdout: { isTTY: false, write: () => {} },
    stderr: { isTTY: false, write: () => {} },
    env: { PATH: process.env["PATH"] },
    platform: "linux",
    home,
    cwd,
    signal: new AbortController().signal,
    interruptedCode: () => 130,
    clock: { ...systemClock, now },
    chooseModel: () => ({
      model: { provider, id: "" },
      name: "anthropic/claude-opus-5-5",
      reason: "ANTHROPIC_API_KEY is set",
    }),
  };
}

const tides = `/** Heights of the tide, from the table of the harbour. */
export function readTable(days: number): number[] {
  const table: number[] = [];
  for (let day = 1; day < days; day += 1) {
    table.push(heightAt(day));
  }
  return table;
}

function heightAt(day: number): number {
  const feet = 4 + Math.sin(day);
  return feet;
}
`;

const check = `echo "tides: reading the table"
echo "tides: 31 days in January"
while [ ! -e go ]; do sleep 0.05; done
`;

function writeProject(cwd: string): void {
  mkdirSync(join(cwd, "src"), { recursive: true });
  writeFileSync(join(cwd, "src/tides.ts"), tides);
  writeFileSync(join(cwd, "check.sh"), check);
}

async function take({
  name,
  title,
  palette = dark,
  size,
  argv = [],
  script,
  play,
}: Scene): Promise<void> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "capstan-pictures-")));
  const cwd = join(home, "harbour");
  writeProject(cwd);
  const terminal = headlessTerminal({ columns: 100, rows: 32, ...size });
  let passed = 0;
  const provider = scriptedProvider(script);
  const io = ioIn({ home, cwd, now: () => startedAt + passed }, provider);
  const env = { ...io.env, ...(palette === light && { COLORFGBG: "0;15" }) };
  const ended = run(argv, {
    ...io,
    env,
    terminal: terminal.device,
    stdout: { ...io.stdout, isTTY: true },
  });
  try {
    await terminal.shows("Try:");
    await play(terminal, { home, cwd, pass: (ms) => void (passed += ms) });
    // Colours of code come a moment after the screen.
    await terminal.settled();
    writeFileSync(join(images, `${name}.svg`), toSvg(terminal.terminal, palette, title));
    console.log(`docs/images/${name}.svg`);
  } finally {
    writeFileSync(join(cwd, "go"), "");
    terminal.type("\u001b");
    await new Promise((resolve) => setTimeout(resolve, 100));
    for (const key of ["\u0003", "\u0003", "\u0003"]) terminal.type(key);
    await ended;
    rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  }
}

mkdirSync(images, { recursive: true });
for (const scene of scenes) await take(scene);
process.exit(0);
