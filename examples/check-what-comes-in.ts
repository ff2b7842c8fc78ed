import { createAgent, createSession } from "@capstan/core";
import { SessionSnapshotSchema, TurnEventSchema } from "@capstan/core/schemas";
import { say, scriptedProvider } from "@capstan/testing";

const agent = createAgent({ name: "helper", model: scriptedProvider([say("Hello.")]) });
const session = createSession({ agent });
const lines = ['{"type":"tea_ready","sugar":2}']; // what a newer program may write
for await (const event of session.send("Hi")) lines.push(JSON.stringify(event));

for (const line of lines) {
  const { success, data: event } = TurnEventSchema.safeParse(JSON.parse(line));
  if (!success) continue; // an event that is not known here is passed over
  if (event.type === "text_delta") console.log(event.delta);
}

const saved = JSON.stringify(await session.snapshot());
const snapshot = SessionSnapshotSchema.parse(JSON.parse(saved)); // or an error that names the place
console.log(snapshot.status, snapshot.messages.length, snapshot.entries.length);
