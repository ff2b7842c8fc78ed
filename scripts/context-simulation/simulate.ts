// One long session of tool steps against the emulated Messages API, over HTTP, with a window that refuses what is too long.
import type { AgentInit } from "@capstan/core";
import { createAgent, createSession, defineTool } from "@capstan/core";
import type { ChatMessage } from "@capstan/kernel";
import { anthropic } from "@capstan/providers/anthropic";
import { callTool, reply, say } from "@capstan/testing";
import type { EmulatedRequest, Emulator, EmulatorScriptItem } from "@capstan/testing/emulators";
import { anthropicEmulator } from "@capstan/testing/emulators";
import { outputOf } from "./outputs.ts";

export interface SimulationOptions {
  readonly steps: number;
  /** Tokens. */
  readonly window: number;
  /** Of one output, on average. */
  readonly outputChars: number;
  /** What the agent has besides its model and its tool. */
  readonly agent?: Partial<AgentInit>;
}

export interface SimulationReport {
  /** How the turn ended. */
  readonly finishReason: string;
  readonly steps: number;
  readonly requests: number;
  /** Of all requests together, by the emulator's count. */
  readonly inputTokens: number;
  /** Of one request, at most. */
  readonly largestRequest: number;
  /** What the emulated prompt cache gave back, by all of it. */
  readonly cachedShare: number;
  /** What the session says of it: of its own context, and not of what somebody makes of it. */
  readonly repeatedShare: number | undefined;
  readonly evictions: number;
  readonly compactions: number;
  /** Requests that were refused as too long. */
  readonly overflows: number;
  /** The most of them one after the other. */
  readonly overflowsInARow: number;
  /** Outputs that the model read again, and whether each was what the tool gave. */
  readonly readAgain: number;
  readonly misread: number;
}

const fetchPage = (outputChars: number) =>
  defineTool({
    name: "fetch_page",
    description: "Fetches a page",
    input: { type: "object", properties: { page: { type: "integer" } }, required: ["page"] },
    effect: "pure",
    execute: ({ page }) => outputOf(Number(page), outputChars),
  });

export async function simulateContext(options: SimulationOptions): Promise<SimulationReport> {
  const { steps, window, outputChars } = options;
  const model = new SimulatedModel(steps, outputChars);
  await using claude = await anthropicEmulator(model.script, {
    contextWindow: window,
    models: ["simulated"],
  });
  model.emulator = claude;
  const base = anthropic("simulated", { baseUrl: claude.url, apiKey: "any" });
  const agent = createAgent({
    model: { ...base, facts: { contextWindow: window } },
    maxTokens: 1_000,
    tools: [fetchPage(outputChars)],
    instructions: "Fetch every page, one after the other.",
    ...options.agent,
  });
  const session = createSession({ agent });
  let [evictions, compactions] = [0, 0];
  session.subscribe((event) => {
    if (event.type === "context_evicted") evictions += 1;
    if (event.type === "compaction_end") compactions += 1;
  });
  const { finishReason, error } = await session.send("Begin").response;
  model.noteRefusals();
  const { cacheStability } = session.getUsage();
  await session.close();
  return {
    ...model.counts,
    cachedShare: model.cachedTokens / model.counts.inputTokens,
    finishReason: error === undefined ? finishReason : `${finishReason}: ${error.message}`,
    repeatedShare: cacheStability.session,
    evictions,
    compactions,
  };
}

/** Every so many steps it reads an old output again instead of fetching another page. */
const readsEvery = 40;

/** Fetches page after page, and writes a summary where it may call no tool. */
class SimulatedModel {
  readonly script: readonly EmulatorScriptItem[];
  readonly counts = {
    steps: 0,
    requests: 0,
    inputTokens: 0,
    largestRequest: 0,
    overflows: 0,
    overflowsInARow: 0,
    readAgain: 0,
    misread: 0,
  };
  cachedTokens = 0;
  emulator: Emulator | undefined;
  readonly #steps: number;
  readonly #outputChars: number;
  /** The line that it asked for, and is to get. */
  #expected: string | undefined;

  constructor(steps: number, outputChars: number) {
    this.#steps = steps;
    this.#outputChars = outputChars;
    // Summaries and what is asked again need some, too.
    this.script = Array.from({ length: 2 * steps + 10 }, () => (request) => this.#reply(request));
  }

  noteRefusals(): void {
    const refused = this.emulator?.refusals.length ?? 0;
    const { counts } = this;
    counts.overflowsInARow = Math.max(counts.overflowsInARow, refused - counts.overflows);
    counts.overflows = refused;
  }

  #reply({ wire, messages }: EmulatedRequest): EmulatorScriptItem {
    this.#count(wire.usage.inputTokens ?? 0, wire.usage.cacheReadTokens ?? 0);
    if (isWithoutTools(wire.body)) return say(`So far ${this.counts.steps} pages were fetched.`);
    this.#checkRead(messages);
    this.counts.steps += 1;
    if (this.counts.steps > this.#steps) return say("All pages are fetched.");
    const reference = this.counts.steps % readsEvery === 0 ? oldestReference(messages) : undefined;
    if (reference === undefined) {
      const page = this.counts.steps;
      return reply(say(`Page ${page} is next.`), callTool("fetch_page", { page }));
    }
    this.#expected = "line 3 ";
    return callTool("read_output", { reference, from: 3, to: 3 });
  }

  #count(tokens: number, cached: number): void {
    const { counts } = this;
    this.noteRefusals();
    counts.requests += 1;
    counts.inputTokens += tokens;
    counts.largestRequest = Math.max(counts.largestRequest, tokens);
    this.cachedTokens += cached;
    // The emulator keeps every request, and these are gigabytes together.
    (this.emulator?.requests as unknown[] | undefined)?.splice(0);
  }

  #checkRead(messages: readonly ChatMessage[]): void {
    const expected = this.#expected;
    if (expected === undefined) return;
    this.#expected = undefined;
    this.counts.readAgain += 1;
    const last = messages.findLast((message) => message.role === "tool");
    const text = JSON.stringify(last ?? "");
    if (!text.includes(expected) || text.length > this.#outputChars) this.counts.misread += 1;
  }
}

function isWithoutTools(body: EmulatedRequest["wire"]["body"]): boolean {
  return JSON.stringify(body["tool_choice"] ?? "").includes('"none"');
}

/** Of an output that was left out. */
function oldestReference(messages: readonly ChatMessage[]): string | undefined {
  for (const message of messages) {
    if (message.role !== "tool") continue;
    const reference = /left out to save space.*Reference: ([\w-]+)/.exec(
      JSON.stringify(message.content),
    )?.[1];
    if (reference !== undefined) return reference;
  }
  return undefined;
}
