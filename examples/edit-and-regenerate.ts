import { createAgent, createSession } from "@capstan/core";
import { say, scriptedProvider } from "@capstan/testing";

const provider = scriptedProvider([say("Four."), say("4"), say("Six.")]);
const session = createSession({ agent: createAgent({ model: provider }) });
await session.send("Two and two?", { id: "question" }).response;
const first = session.messages.at(-1)?.id;

// Regenerate: the question is the last message again, and gets another reply.
await session.rewind("question");
console.log((await session.continue().response).text); // → 4

// Edit: the question goes too, and another one follows.
await session.rewind("question", { before: true });
console.log(session.status, session.messages.length); // → idle 0
console.log(await session.run("Two times three?")); // → Six.
console.log(session.messages.map(({ role }) => role)); // → [ 'user', 'assistant' ]

// The log keeps what was cut off.
const branch = await session.fork(first);
console.log(branch.messages.length, branch.title); // → 2 Two and two?

const refused = session.rewind("nothing");
await refused.catch((error: Error) => console.log(error.message)); // …: use the id of one of its messages
