/** CPU time to open a long session on a terminal, beside that to read and fold it. */
import { join } from "node:path";
import { sqlite } from "@capstan/stores/sqlite";
import { scriptedProvider } from "@capstan/testing";
import { run } from "../../packages/cli/src/process/run.ts";
import { findNewest, readStored } from "../../packages/cli/src/session/stored-sessions.ts";
import { median } from "../interleave.ts";
import { benchTerminal } from "./bench-io.ts";
import { lastAnswer } from "./long-session.ts";

const home = process.env["B12_HOME"] ?? "";
const rounds = Number(process.env["B12_ROUNDS"]);

const shown: number[] = [];
const opened: number[] = [];
const read: number[] = [];
for (let round = -3; round < rounds; round += 1) {
  const [shownMs, openMs] = await open();
  const readMs = await readAndFold();
  // The first rounds load modules and warm up.
  if (round < 0) continue;
  shown.push(shownMs);
  opened.push(openMs);
  read.push(readMs);
}
const result = { shownMs: median(shown), openMs: median(opened), readMs: median(read) };
console.log(JSON.stringify(result));

/** Until the last screen is shown, and until the session is open. */
async function open(): Promise<readonly [number, number]> {
  const terminal = benchTerminal({ home, provider: scriptedProvider([]) });
  const before = start();
  const ended = run(["--continue"], terminal.io);
  await terminal.seen(lastAnswer);
  const shownMs = since(before);
  await terminal.seen("using scripted");
  const openMs = since(before);
  terminal.type("\u0004");
  const code = await ended;
  if (code !== 0) throw new Error(`The terminal ended with exit code ${code}`);
  return [shownMs, openMs];
}

async function readAndFold(): Promise<number> {
  const before = start();
  const store = sqlite(join(home, ".local/share/capstan/sessions.db"));
  const { entries } = await readStored(store, await findNewest(store, home));
  await store.close();
  const ms = since(before);
  if (entries.length < 10_000) throw new Error(`Only ${entries.length} entries`);
  return ms;
}

/** Neither pays for the garbage of the other. */
function start(): NodeJS.CpuUsage {
  globalThis.gc?.();
  return process.cpuUsage();
}

function since(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
