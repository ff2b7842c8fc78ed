/** `/context`: what fills the model's window, and what its cache keeps. */
import type { ChatMessage } from "@capstan/kernel";
import type { SlashCommand } from "./command.ts";

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
    const rows = parts.map(([name, chars]) => `  ${name.padEnd(18)} ~${count(chars)} tokens`);
    const last = messages.findLast((message) => message.role === "assistant")?.usage;
    const window = model.chosen.model.provider.contextWindow;
    const used = last?.inputTokens;
    const size = window === undefined ? "" : ` of ${window.toLocaleString("en-US")}`;
    const counted =
      used === undefined
        ? "the provider has not reported a size yet"
        : `the last request had ${used.toLocaleString("en-US")} tokens${size}`;
    const { turn } = session.getUsage().cacheStability;
    const cache = [
      ...(last?.cacheReadTokens === undefined
        ? []
        : [`${last.cacheReadTokens.toLocaleString("en-US")} tokens of it came from the cache`]),
      ...(turn === undefined
        ? []
        : [`${Math.round(turn * 100)}% of the last turn's requests repeats the ones before`]),
    ];
    app.note([counted, ...cache, "estimated, before compaction and eviction:", ...rows].join("\n"));
  },
};

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
