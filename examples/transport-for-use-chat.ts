import { connect } from "@capstan/client";
import { chatTransport } from "@capstan/client/chat";
import { createAgent, createHost, memoryRepository } from "@capstan/core";
import { bearerTokens, createServer } from "@capstan/server";
import { serveNode } from "@capstan/server/node";
import { say, scriptedProvider } from "@capstan/testing";
import type { UIMessage } from "ai";
import { readUIMessageStream } from "ai";

const agent = createAgent({ name: "helper", model: scriptedProvider([say("It is sunny.")]) });
const host = createHost({ agents: [agent], repository: memoryRepository() });
const token = crypto.randomUUID();
const server = createServer({ host, authenticate: bearerTokens({ ann: token }) });
const { url, close } = await serveNode(server, { port: 0 });

// On the page: useChat({ transport }). A lost connection goes on where it was, and stop() stops the turn.
const client = connect({ url, token });
const transport = chatTransport({ client });

const question: UIMessage = {
  id: "question1",
  role: "user",
  parts: [{ type: "text", text: "How is the weather?" }],
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
console.log(answer?.parts.map((part) => ("text" in part ? part.text : part.type)).join(" | ")); // → step-start | It is sunny.

// The session of the chat has everything that the hook has no function for.
const session = transport.session("my-chat");
console.log(session.state.status, session.state.messages.length); // → completed 2
client.close();
await close();
