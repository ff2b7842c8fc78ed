/** A provider for an API that no package knows: lines of JSON over HTTP. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createAgent, createSession, defineTool } from "@capstan/core";
import { ProviderError } from "@capstan/kernel";
import type { ProviderContract, ProviderErrorCode, ProviderPart } from "@capstan/kernel";
import { z } from "zod";

type Line =
  | { readonly kind: "word"; readonly text: string }
  | { readonly kind: "use"; readonly tool: string; readonly with: Record<string, string> }
  | { readonly kind: "bye"; readonly tokens: readonly [input: number, output: number] };

const codes: Record<number, ProviderErrorCode> = {
  401: "auth",
  429: "rate_limit",
  503: "overloaded",
};

function parley(url: string): ProviderContract {
  return {
    id: "parley",
    contextWindow: 8_000,
    async *stream({ messages, tools, options, signal }) {
      const talk = messages.map((message) =>
        message.role === "custom" ? message : { role: message.role, said: message.content },
      );
      const response = await fetch(url, {
        method: "POST",
        headers: { "x-parley-key": options.apiKey ?? "" },
        body: JSON.stringify({ persona: options.systemPrompt, talk, tools }),
        signal,
      });
      if (!response.ok || response.body === null) {
        const code = codes[response.status] ?? "protocol";
        throw new ProviderError(
          code,
          `Parley answered ${response.status}: ${await response.text()}`,
        );
      }
      let rest = "";
      let calls = 0;
      for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
        const lines = (rest + text).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) {
          const parts = partsOf(JSON.parse(line) as Line, calls);
          if (parts[0]?.type === "toolcall_start") calls += 1;
          yield* parts;
        }
      }
    },
  };
}

function partsOf(line: Line, calls: number): ProviderPart[] {
  if (line.kind === "word") return [{ type: "text_delta", delta: line.text }];
  if (line.kind === "use") {
    return [
      { type: "toolcall_start", index: calls, name: line.tool },
      { type: "toolcall_end", index: calls, input: line.with },
    ];
  }
  const [inputTokens, outputTokens] = line.tokens;
  const reason = calls > 0 ? "tool-calls" : "stop";
  return [{ type: "finish", reason, usage: { inputTokens, outputTokens } }];
}

// The service: overloaded at first, then it calls a tool, then it speaks.
const answers: (number | readonly Line[])[] = [
  503,
  [
    { kind: "use", tool: "lookup", with: { word: "capstan" } },
    { kind: "bye", tokens: [20, 5] },
  ],
  [
    { kind: "word", text: "A winch " },
    { kind: "word", text: "for ropes." },
    { kind: "bye", tokens: [30, 7] },
  ],
];
const asked: string[] = [];
const service = createServer((request, response) => {
  asked.push(String(request.headers["x-parley-key"]));
  request.resume();
  const answer = answers.shift() ?? 500;
  if (typeof answer === "number") response.writeHead(answer).write("busy");
  else for (const line of answer) response.write(`${JSON.stringify(line)}\n`);
  response.end();
}).listen(0, "127.0.0.1");
await once(service, "listening");
const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}/`;

const lookup = defineTool({
  name: "lookup",
  description: "Looks up a word",
  input: z.object({ word: z.string() }),
  execute: ({ word }) => `${word}: a machine with a drum that turns`,
});
const agent = createAgent({
  model: { provider: parley(url), id: "parley-1" },
  tools: [lookup],
  getApiKey: () => "key-of-parley",
});
const session = createSession({ agent });
for await (const event of session.send("What is a capstan?")) {
  if (event.type === "attempt_discarded") console.log("again:", event.error.code);
  if (event.type === "text_delta") console.log(event.delta);
  if (event.type === "error") console.error(event.error.message);
}
console.log(session.usage.inputTokens, session.usage.outputTokens, asked.join(" "));
service.close();
