import { createAgent, createHost } from "@capstan/core";
import { sqlite } from "@capstan/stores/sqlite";
import { say, scriptedProvider } from "@capstan/testing";

const agent = createAgent({ name: "guide", model: scriptedProvider([say("Rome.")]) });
const store = sqlite(":memory:"); // a file: sqlite("sessions.db"); servers: postgres(process.env.DATABASE_URL)
const host = createHost({ agents: [agent], repository: store });

const session = await host.session("trip", { agent: "guide" }); // opens the session, or creates it
console.log(await session.run("Where should I go?")); // → Rome.
await host.close();
await store.close();
