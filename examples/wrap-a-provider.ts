import type { ProviderPart } from "@capstan/core";
import { createAgent } from "@capstan/core";
import { wrapProvider } from "@capstan/providers/wrap-provider";
import { say, scriptedProvider } from "@capstan/testing";

// Any provider: `openai("gpt-5.5").provider`, or that of `withFallback`.
const scripted = scriptedProvider([say("Call 555-0100.")]);

/** What was answered before, by what was asked. A real cache would also look at the options. */
const cache = new Map<string, ProviderPart[]>();

async function* stored(key: string, parts: AsyncIterable<ProviderPart>) {
  const seen: ProviderPart[] = [];
  for await (const part of cache.get(key) ?? parts) {
    seen.push(part);
    // Before it is handed on: a turn reads nothing after it.
    if (part.type === "finish") cache.set(key, seen);
    yield part;
  }
}

const provider = wrapProvider(scripted, {
  // Redacts. A request is a plain object: a spread keeps everything else.
  request: (request) => ({
    ...request,
    messages: request.messages.map((message) =>
      message.role === "user" && typeof message.content === "string"
        ? { ...message, content: message.content.replaceAll(/\S+@[\w.]+/g, "[address]") }
        : message,
    ),
  }),
  // Caches. Parts that are not read are not asked for.
  parts: (parts, { messages }) =>
    stored(JSON.stringify(messages, ["role", "content", "text"]), parts),
  // Logs. To throw something else, return it.
  error: (error) => console.error(error),
});

const agent = createAgent({ model: { provider, id: "scripted" }, compaction: false });
console.log(await agent.run("How do I reach ann@example.com?")); // → Call 555-0100.
console.log(await agent.run("How do I reach bob@example.com?")); // → Call 555-0100.
console.log(scripted.requests.length); // → 1
console.log(JSON.stringify(scripted.requests[0]?.messages, ["content"])); // → [{"content":"How do I reach [address]?"}]
