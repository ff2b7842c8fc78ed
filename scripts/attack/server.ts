// The server under attack: a real one on a port of this machine, with SQLite and a model that answers at once. It measures itself.

import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { createAgent, createHost, defineTool } from "@capstan/core";
import type { ProviderContract, ProviderPart } from "@capstan/kernel";
import { bearerTokens, createServer } from "@capstan/server";
import { serveNode } from "@capstan/server/node";
import { sqlite } from "@capstan/stores/sqlite";

export interface ServerSettings {
  readonly path: string;
  readonly principals: Readonly<Record<string, string>>;
  /** Whose long session is prepared, and how many turns it has. */
  readonly owner: string;
  readonly turns: number;
}

/** Of the time since the last one. */
export interface Measures {
  /** The longest time that the process worked on one thing, and the longest time that a timer was late. */
  readonly stretchMs: number;
  readonly lateMs: number;
  readonly cpuMs: number;
  readonly rssBytes: number;
  readonly peakRssBytes: number;
}

export type ServerMessage =
  | { readonly type: "ready"; readonly port: number; readonly longSession: string }
  | { readonly type: "measured"; readonly measures: Measures };

/** Says what it was told; "stream" and "long" call tools. */
const model: ProviderContract = {
  id: "echo",
  contextWindow: 100_000_000,
  async *stream({ messages }): AsyncGenerator<ProviderPart> {
    const last = messages.at(-1);
    const asked = last?.role === "user" && typeof last.content === "string" ? last.content : "";
    if (asked === "stream" || asked === "long") {
      yield { type: "toolcall_start", index: 0, name: asked };
      yield { type: "toolcall_delta", index: 0, delta: "{}" };
      yield { type: "toolcall_end", index: 0 };
      yield { type: "finish", reason: "tool-calls" };
      return;
    }
    yield { type: "text_delta", delta: "You said: " };
    yield { type: "text_delta", delta: asked };
    yield { type: "finish", reason: "stop" };
  },
};

const stream = defineTool({
  name: "stream",
  description: "Shows 8 MB while it runs",
  input: { type: "object" },
  async *execute() {
    for (let piece = 0; piece < 800; piece += 1) {
      yield { type: "delta", delta: "x".repeat(10_000) } as const;
      await sleep(2);
    }
    yield { type: "complete", output: "done" } as const;
  },
});

const long = defineTool({
  name: "long",
  description: "Says 3,000 characters",
  effect: "pure",
  input: { type: "object" },
  execute: () => "y".repeat(3_000),
});

const resolutionMs = 10;

const settings = JSON.parse(process.argv[2] ?? "{}") as ServerSettings;
const store = sqlite(settings.path);
// Tools may show as much as they like: the server's own bounds are what is attacked.
const limits = { liveOutputChars: Infinity };
const agent = createAgent({
  name: "echo",
  model,
  tools: [stream, long],
  compaction: false,
  limits,
});
const host = createHost({ agents: [agent], repository: store });
const longSession = await prepare();
const server = createServer({ host, authenticate: bearerTokens(settings.principals) });
const node = await serveNode(server, { headersTimeoutMs: 3_000, drainMs: 500 });

const delays = monitorEventLoopDelay({ resolution: resolutionMs });
delays.enable();
let cpu = process.cpuUsage();
let peakRssBytes = 0;
let ticks = 0;
let longestMs = 0;
let lastTick = process.threadCpuUsage();
const watch = setInterval(() => {
  const { user, system } = process.threadCpuUsage(lastTick);
  longestMs = Math.max(longestMs, (user + system) / 1_000);
  lastTick = process.threadCpuUsage();
  ticks += 1;
  if (ticks % 10 === 0) peakRssBytes = Math.max(peakRssBytes, process.memoryUsage.rss());
}, resolutionMs);

process.on("message", (order: "measure" | "close") => {
  if (order === "measure") tell({ type: "measured", measures: measure() });
  else close().catch(() => process.exit(1));
});
process.on("disconnect", () => process.exit(1));
tell({ type: "ready", port: node.port, longSession });

async function prepare(): Promise<string> {
  const session = host.createSession({ agent: "echo", principal: settings.owner });
  for (let turn = 0; turn < settings.turns; turn += 1) await session.send("long").response;
  await session.close();
  return session.id;
}

/**
 * Between two ticks of a timer the process works for the timer's own time and one stretch of work, at most. CPU time is counted, so that other programs on the
 * machine do not matter; what a timer is late by counts those, and waits for the disk, too.
 */
function measure(): Measures {
  const { user, system } = process.cpuUsage(cpu);
  const measures = {
    stretchMs: Math.max(0, longestMs - resolutionMs),
    lateMs: Math.max(0, delays.max / 1e6 - resolutionMs),
    cpuMs: (user + system) / 1_000,
    rssBytes: process.memoryUsage.rss(),
    peakRssBytes,
  };
  delays.reset();
  longestMs = 0;
  cpu = process.cpuUsage();
  peakRssBytes = 0;
  return measures;
}

async function close(): Promise<void> {
  clearInterval(watch);
  await node.close();
  await store.close();
  process.disconnect();
}

function tell(message: ServerMessage): void {
  process.send?.(message);
}
