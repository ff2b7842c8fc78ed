import type { ChatMessage } from "@capstan/core";
import { createAgent } from "@capstan/core";
import { say, scriptedProvider } from "@capstan/testing";

const replies = ["Oslo.", "About 700,000.", "The Akerselva.", "It is 8 km long."];
const agent = createAgent({ model: scriptedProvider(replies.map((text) => say(text))) });

console.log(await agent.run("What is the capital of Norway?")); // → Oslo.

for await (const event of agent.runStream("How many people live in Oslo?")) {
  if (event.type === "text_delta") console.log(event.delta); // → About 700,000.
}

// An agent remembers nothing: whoever wants a second turn keeps the transcript.
const transcript: ChatMessage[] = [];
for (const content of ["Which river runs through Oslo?", "How long is it?"]) {
  const message = { role: "user", id: `m${transcript.length}`, content } as const;
  const request = { input: message, maxTokens: 100, thinkingLevel: "low" } as const;
  const { text, messages } = await agent.runTurn(request, transcript).response;
  transcript.push(message, ...messages);
  console.log(text); // → The Akerselva.
}
console.log(transcript.map(({ role }) => role).join(" ")); // → user assistant user assistant
