import { createAgent, createSession, forkSession, restoreSession } from "@capstan/core";
import { SessionSnapshotSchema } from "@capstan/core/schemas";
import { say, scriptedProvider } from "@capstan/testing";

const replies = ["Rome.", "Lisbon, then.", "Take the train.", "Take the night train."];
const model = scriptedProvider(replies.map((text) => say(text)));
const agent = createAgent({ name: "guide", model });
const session = createSession({ agent });
await session.send("Where should I go?").response;
await session.send("Somewhere else?").response;

const fork = await forkSession(session, session.messages[1]?.id); // the first answer is the last it has
console.log(await fork.run("How do I get there?")); // → Take the train.
console.log(session.messages.length, fork.messages.length); // → 4 4

const saved = JSON.stringify(await session.snapshot()); // to a file, a row, another machine
const snapshot = SessionSnapshotSchema.parse(JSON.parse(saved));
console.log(snapshot.status, snapshot.model, snapshot.messages.length); // → completed scripted 4

const restored = await restoreSession({ agent, snapshot });
console.log(restored.id === session.id, await restored.run("And from there?")); // → true Take the night train.
