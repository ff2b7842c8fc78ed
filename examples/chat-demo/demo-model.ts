/** Model that needs no key: it knows four questions, and writes at the speed of a real one. */
import { setTimeout as pause } from "node:timers/promises";
import type { ChatMessage, JsonValue, ProviderContract, ProviderPart } from "@capstan/kernel";

export interface DemoModelOptions {
  /** Time between two words. Default 30. */
  readonly paceMs?: number;
}

export function demoModel({ paceMs = 30 }: DemoModelOptions = {}): ProviderContract {
  return {
    id: "demo",
    contextWindow: 200_000,
    async *stream({ messages, signal }) {
      for (const part of partsOf(nextMove(messages))) {
        await pause(paceMs, undefined, { signal });
        yield part;
      }
    },
  };
}

interface Move {
  readonly thinking?: string;
  readonly text: string;
  readonly call?: { readonly name: string; readonly input: JsonValue };
}

function* partsOf({ thinking = "", text, call }: Move): Generator<ProviderPart> {
  for (const delta of wordsOf(thinking)) yield { type: "thinking_delta", delta };
  for (const delta of wordsOf(text)) yield { type: "text_delta", delta };
  if (call !== undefined) {
    yield { type: "toolcall_start", index: 0, name: call.name };
    for (const delta of wordsOf(JSON.stringify(call.input))) {
      yield { type: "toolcall_delta", index: 0, delta };
    }
    yield { type: "toolcall_end", index: 0 };
  }
  const usage = { inputTokens: 300, outputTokens: Math.ceil(text.length / 4) };
  yield { type: "finish", reason: call === undefined ? "stop" : "tool-calls", usage };
}

function wordsOf(text: string): readonly string[] {
  return text.match(/\s*\S+\s*?/g) ?? [];
}

function nextMove(messages: readonly ChatMessage[]): Move {
  const { question, added, outputs } = sinceLastAnswer(messages);
  if (/\b(book|reserve|table)\b/i.test(question)) return bookTable(outputs);
  if (/\b(search|find|library|knots?)\b/i.test(question)) return searchTwice(outputs, added);
  if (/\b(time|clock|zone)\b/i.test(question)) return tellTime(outputs);
  return { text: explanation };
}

interface Task {
  readonly question: string;
  /** Messages that the user sent while the model worked. */
  readonly added: readonly string[];
  readonly outputs: readonly Extract<ChatMessage, { role: "tool" }>[];
}

function sinceLastAnswer(messages: readonly ChatMessage[]): Task {
  const task = messages.slice(messages.findLastIndex(isAnswer) + 1);
  const said = task.flatMap((message) =>
    message.role === "user" && message.source === undefined ? [textOf(message.content)] : [],
  );
  const [question = "", ...added] = said;
  return { question, added, outputs: task.filter((message) => message.role === "tool") };
}

function isAnswer(message: ChatMessage): boolean {
  return message.role === "assistant" && message.content.every(({ type }) => type !== "tool_call");
}

function textOf(content: Extract<ChatMessage, { role: "user" | "tool" }>["content"]): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

function bookTable([booked]: Task["outputs"]): Move {
  if (booked === undefined) {
    const input = { restaurant: "Osteria del Porto", people: 4, at: "tomorrow, 19:30" };
    return { text: "I can book that for you.", call: { name: "book_table", input } };
  }
  if (booked.isDenied === true) {
    return {
      text: `I did **not** book it. You said: “${textOf(booked.content).replace(/^Denied:?\s*/, "")}”`,
    };
  }
  return { text: `Done. ${textOf(booked.content)} I will remind you an hour before.` };
}

function searchTwice(outputs: Task["outputs"], added: readonly string[]): Move {
  const queries = ["knots", "sails"] as const;
  const query = queries[outputs.length];
  if (query !== undefined && added.length === 0) {
    return {
      thinking: `The library may have something about ${query}. I look there before I answer.`,
      text: outputs.length === 0 ? "I look in the library." : "One more search.",
      call: { name: "search_library", input: { query } },
    };
  }
  const taken = added.map((text) => `> ${text}\n\nI have taken that into account.\n\n`).join("");
  return { text: `${taken}${findings}` };
}

function tellTime([time]: Task["outputs"]): Move {
  if (time === undefined) {
    return { text: "Your browser knows.", call: { name: "local_time", input: {} } };
  }
  return { text: `It is **${textOf(time.content)}** where you are.` };
}

const findings = `Three books are worth your time:

1. **Knots for Beginners** starts with the *bowline*.
2. **A History of Knots** has the stories.
3. **Sails and Rigging** shows what the knots are for.
`;

const explanation = `## How this page works

The reply that you read is **streamed**: the server sends each piece as the model writes it, and a page
that is loaded again goes on where it was.

| You | The server |
| --- | --- |
| send a message while it works | adds it to the running turn |
| approve a call | runs exactly the input that was shown |
| leave the page | goes on without it |

A few things to try:

- *Search the library*: its output appears while the tool runs.
- *Book a table*: nothing is booked before you agree.
- *Ask for the time*: the tool runs in your browser.

\`\`\`ts
const session = client.session("my-chat");
for await (const event of session.send("Hello")) {
  if (event.type === "text_delta") console.log(event.delta);
}
\`\`\`

Press \`Escape\` to stop a reply. The code is in [the repository](https://github.com/).
`;
