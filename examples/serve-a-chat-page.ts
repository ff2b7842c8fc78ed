import { createAgent, createHost, defineTool, memoryRepository } from "@capstan/core";
import { bearerTokens, createServer } from "@capstan/server";
import { serveNode } from "@capstan/server/node";
import { callTool, say, scriptedProvider } from "@capstan/testing";
import type { UIMessage } from "ai";
import { DefaultChatTransport, readUIMessageStream } from "ai";
import { z } from "zod";

const weather = defineTool({
  name: "weather",
  description: "Tells the weather of a city",
  input: z.object({ city: z.string() }),
  execute: ({ city }) => `Sunny in ${city}`,
});
const model = scriptedProvider([callTool("weather", { city: "Rome" }), say("It is sunny.")]);
const agent = createAgent({ name: "helper", model, tools: [weather] });
const host = createHost({ agents: [agent], repository: memoryRepository() });
const token = crypto.randomUUID(); // a page of your own app would send its cookie instead
const server = createServer({ host, authenticate: bearerTokens({ ann: token }) });
const { url, close } = await serveNode(server, { port: 0 });

// On the page: useChat({ transport: new DefaultChatTransport({ api: "/api/chat" }) }). This is what it does.
const headers = { authorization: `Bearer ${token}` };
const transport = new DefaultChatTransport({ api: `${url}/api/chat`, headers });
const question: UIMessage = {
  id: "question1",
  role: "user",
  parts: [{ type: "text", text: "How is the weather in Rome?" }],
};
const stream = await transport.sendMessages({
  trigger: "submit-message",
  chatId: "my-chat",
  messageId: undefined,
  messages: [question],
  abortSignal: undefined,
});
let answer: UIMessage | undefined;
for await (const message of readUIMessageStream({ stream })) answer = message;

console.log(answer?.id); // → question1-reply
for (const part of answer?.parts ?? []) {
  if (part.type === "tool-weather" && "output" in part) console.log(part.output); // → Sunny in Rome
  if (part.type === "text") console.log(part.text); // → It is sunny.
}

// A page that is loaded again asks for a reply that is under way. There is none any more.
const under = await transport.reconnectToStream({ chatId: "my-chat" });
console.log(under); // → null
await close();
