/** `/context`: what fills the model's window, and what its cache keeps. */
import type { ChatMessage, Usage } from "@capstan/kernel";
import { windowOf } from "../work.ts";
import type { SlashCommand } from "./command.ts";

const barCells = 24;
const windowCells = 48;

/** An estimate: no provider has counted. */
const charsPerToken = 4;

export const context: SlashCommand = {
  name: "context",
  help: "show what fills the context window",
  run: (app, _, { session, model }) => {
    const { instructions = "", messages } = session.state;
    const parts: readonly (readonly [string, number])[] = [
      ["instructions", instructions.length],
      ["your messages", sizeOf(messages, "user")],
      ["replies and calls", sizeOf(messages, "assistant")],
      ["tool results", sizeOf(messages, "tool")],
    ];
    const most = Math.max(1, ...parts.map(([, chars]) => chars));
    const rows = parts.map(([name, chars]) => {
      const bar = "▇".repeat(Math.ceil((chars / most) * barCells));
      return `  ${name.padEnd(18)} ${count(chars).padStart(9)}  ${bar}`;
    });
    const last = messages.findLast((message) => message.role === "assistant")?.usage;
    const { turn } = session.getUsage().cacheStability;
    const repeated =
      turn === undefined
        ? []
        : [`${Math.round(turn * 100)}% of the last turn's requests repeats the ones before`];
    const title = "estimated tokens, before compaction and eviction; tools are not counted:";
    app.note(
      [...requestLines(last, windowOf(model.chosen.model)), ...repeated, title, ...rows].join("\n"),
    );
  },
};

/** Describes the last request as the provider has counted it, and its part from the cache. */
function requestLines(last: Usage | undefined, window: number | undefined): readonly string[] {
  const { inputTokens: used, cacheReadTokens: cached } = last ?? {};
  if (used === undefined) return ["the provider has not reported a size yet"];
  const of = window === undefined ? "" : ` of ${window.toLocaleString("en-US")}`;
  return [
    `the last request had ${used.toLocaleString("en-US")} tokens${of}`,
    ...(cached === undefined
      ? []
      : [`${cached.toLocaleString("en-US")} tokens of it came from the cache`]),
    ...(window === undefined ? [] : [usageBar(used, cached ?? 0, window)]),
  ];
}

/** The window as one line: from the cache, new, and free. */
function usageBar(used: number, cached: number, window: number): string {
  const cells = (tokens: number): number =>
    Math.min(windowCells, Math.ceil((tokens / window) * windowCells));
  const bar = `${"█".repeat(cells(cached))}${"▓".repeat(cells(used) - cells(cached))}`;
  return `${bar.padEnd(windowCells, "░")}  █ cached ▓ new ░ free`;
}

function sizeOf(messages: readonly ChatMessage[], role: ChatMessage["role"]): number {
  return messages
    .filter((message) => message.role === role)
    .reduce(
      (sum, message) => sum + JSON.stringify("content" in message ? message.content : "").length,
      0,
    );
}

function count(chars: number): string {
  return Math.ceil(chars / charsPerToken).toLocaleString("en-US");
}
