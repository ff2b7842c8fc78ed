import { createAgent, createSession } from "@capstan/core";
import { reply, say, scriptedProvider, stall } from "@capstan/testing";

const model = scriptedProvider([
  reply(say("Once upon a time"), stall()),
  say("A short one: the end."),
]);
const session = createSession({ agent: createAgent({ model }) });

const turn = session.send("Tell me a story");
for await (const event of turn) if (event.type === "text_delta") turn.abort("too long");

const { status, text } = await turn.response;
console.log(status, text); // → aborted Once upon a time
console.log(session.messages.at(-1)); // what was said stays, and the model is told that it was cut short
console.log(session.status); // → completed

console.log(await session.run("Shorter, please")); // → A short one: the end.

const { status: late } = await session.send("Another", { signal: AbortSignal.abort() }).response;
console.log(late); // → aborted
