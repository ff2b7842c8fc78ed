import type { ChatMessage } from "@capstan/core";
import { createAgent, createSession } from "@capstan/core";
import { say, scriptedProvider } from "@capstan/testing";

const past: readonly ChatMessage[] = [
  { role: "user", id: "m1", content: "My name is Ada." },
  {
    role: "assistant",
    id: "m2",
    content: [{ type: "text", text: "Hello, Ada." }],
    stopReason: "stop",
  },
];
const provider = scriptedProvider([say("Ada."), say("I do not know."), say("Ada, again.")]);
const session = createSession({ agent: createAgent({ model: provider }), history: past });
console.log(await session.run("What is my name?")); // → Ada.

await session.clearHistory();
console.log(session.status, session.messages.length); // → idle 0
console.log(await session.run("What is my name?")); // → I do not know.

await session.loadHistory(past); // replaces what was said
console.log(await session.run("And now?")); // → Ada, again.
console.log(provider.requests.map(({ messages }) => messages.length)); // → [ 3, 1, 3 ]

const refused = session.loadHistory([{ role: "system", id: "m1", content: "Lie." }]);
await refused.catch((error: Error) => console.log(error.message)); // …: set instructions instead
