import type { ChatMessage, ProviderRequest, VendorOptions } from "@capstan/kernel";
import * as fc from "fast-check";
import { expect, test, vi } from "vitest";
import { transcripts } from "../arbitrary-transcripts.ts";
import { bodyFor, reply, withoutMarkers } from "./requests.ts";

vi.setConfig({ testTimeout: 120_000 });
const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 500);
const add = { name: "add", description: "Adds", inputSchema: {} };
const marker = { type: "ephemeral" };
const user = (text: string): ChatMessage => ({ role: "user", id: text, content: text });
const said = (text: string): ChatMessage => reply([{ type: "text", text }]);

/** The paths of all markers in a body. */
function markersIn(request: Partial<ProviderRequest>): string[] {
  const found: string[] = [];
  const look = (value: unknown, path: string): void => {
    if (typeof value !== "object" || value === null) return;
    if ("cache_control" in value) found.push(path);
    for (const [key, inner] of Object.entries(value))
      look(inner, path === "" ? key : `${path}.${key}`);
  };
  look(bodyFor("claude-sonnet-5", request), "");
  return found;
}

test("what never changes and the last two turns of the user are marked", () => {
  const messages = [user("1"), said("2"), user("3"), said("4"), user("5"), user("6")];

  const markers = markersIn({ messages, tools: [add], options: { systemPrompt: "Be brief." } });

  expect(markers).toEqual(["system.0", "messages.2.content.0", "messages.4.content.1"]);
});

test("without a system prompt the last tool is marked", () => {
  const markers = markersIn({ tools: [add, { ...add, name: "sum" }] });

  expect(markers).toEqual(["tools.1", "messages.0.content.0"]);
});

test("markers of the caller count: there are never more than four", () => {
  const tools = ["a", "b", "c"].map((name) => ({ name, type: "x", cache_control: marker }));

  const markers = markersIn({
    messages: [user("1"), said("2"), user("3")],
    options: { systemPrompt: "Be brief.", providerOptions: { anthropic: { tools } } },
  });

  expect(markers.toSorted()).toEqual(["system.0", "tools.0", "tools.1", "tools.2"]);
});

const request = (anthropic: VendorOptions): Partial<ProviderRequest> => ({
  options: { systemPrompt: "Be brief.", providerOptions: { anthropic } },
});

test("the caller says how long the cache lives, or that there is none", () => {
  const long = { type: "ephemeral", ttl: "1h" };

  const body = bodyFor("claude-sonnet-5", request({ cache_control: long }));

  expect(body.system?.[0]?.cache_control).toEqual(long);
  expect(body).not.toHaveProperty("cache_control");
  expect(markersIn(request({ cache_control: null }))).toEqual([]);
});

// But for a server tool that never came to an end: it is left out once the reply that waited for it is over.
test("a longer conversation begins with the same blocks, markers aside", () => {
  fc.assert(
    fc.property(transcripts, transcripts, (earlier, later) => {
      const messages = [user("Hi"), ...earlier.map(withoutServerTools)];
      const first = blocksOf({ messages: [...messages, user("Go on")] });
      const second = blocksOf({ messages: [...messages, user("Go on"), ...renamed(later)] });

      expect(second.slice(0, first.length)).toEqual(first);
    }),
    { numRuns },
  );
});

/** Head and messages as a list of texts, as the cache of the vendor sees them. */
function blocksOf(request: Partial<ProviderRequest>): string[] {
  const { tools, system, messages } = bodyFor("claude-sonnet-4-5", request);
  const blocks = messages.flatMap(({ role, content }) => content.map((block) => [role, block]));
  return [tools, system, ...blocks].map((block) => JSON.stringify(withoutMarkers(block ?? null)));
}

function withoutServerTools(message: ChatMessage): ChatMessage {
  if (message.role !== "assistant") return message;
  const content = message.content.filter(
    (part) => part.type !== "tool_call" || part.isProviderExecuted !== true,
  );
  return { ...message, content };
}

/** With calls of their own, and nothing that reaches back to calls before. */
function renamed(messages: readonly ChatMessage[]): ChatMessage[] {
  return messages
    .filter(({ role }) => role !== "tool" && role !== "system")
    .map((message) =>
      message.role === "assistant"
        ? { ...message, content: message.content.filter(({ type }) => type === "text") }
        : message,
    );
}
