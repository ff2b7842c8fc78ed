/** Live heap of a conversation over a simulated hour: a turn each ten seconds, with a tool, its output and an answer. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AnyTool } from "@capstan/core";
import type { ProviderContract } from "@capstan/kernel";
import { run } from "../../packages/cli/src/process/run.ts";
import { benchTerminal } from "./bench-io.ts";
import { deltasOf } from "./deltas.ts";

const turns = 360;
const turnsPerSample = 40;
const deltas = deltasOf(0.2);
const lines = Array.from({ length: 200 }, (_, index) => `line ${index} of the output\n`);

const noisy: AnyTool = {
  name: "noisy",
  description: "Writes while it runs",
  inputSchema: { type: "object" },
  execute: (_, { update }) => {
    for (const line of lines) update(line);
    return lines.join("");
  },
};

/** Keeps no request. */
const provider: ProviderContract = {
  id: "hour",
  contextWindow: 100_000_000,
  async *stream({ messages }) {
    if (messages.at(-1)?.role !== "tool") {
      yield { type: "toolcall_start", index: 0, name: "noisy" };
      yield { type: "toolcall_end", index: 0, input: {} };
      yield { type: "finish", reason: "tool-calls" };
      return;
    }
    for (const delta of deltas) yield { type: "text_delta", delta };
    yield { type: "finish", reason: "stop" };
  },
};

const home = mkdtempSync(join(tmpdir(), "capstan-b12-"));
const terminal = benchTerminal({ home, provider, tools: [noisy] });
const ended = run(["--allow", "*"], terminal.io);
await terminal.seen("Try:");
const heaps: number[] = [];
for (let turn = 0; turn < turns; turn += 1) {
  terminal.type(`go on ${turn}`);
  terminal.type("\r");
  // The title without its mark: the turn has ended.
  await terminal.seen("]0;capstan");
  if (turn % turnsPerSample === turnsPerSample - 1) heaps.push(heapMB());
}
terminal.type("\u0004");
await ended;
rmSync(home, { recursive: true, force: true });
const textMB = ((deltas.join("").length + lines.join("").length) * turns) / 1e6;
console.log(JSON.stringify({ heaps, textMB }));

function heapMB(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1e6;
}
