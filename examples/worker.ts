import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent, createHost } from "@capstan/core";
import { sqlite } from "@capstan/stores/sqlite";
import { say, scriptedProvider, stall } from "@capstan/testing";

const folder = mkdtempSync(join(tmpdir(), "worker-"));
const store = sqlite(join(folder, "sessions.db")); // or postgres(process.env.DATABASE_URL)

// Another process has begun a turn, and is replaced by a new version before the model answers.
const slow = createAgent({ name: "helper", model: scriptedProvider([stall()]) });
const before = createHost({ agents: [slow], repository: store });
const job = before.createSession({ id: "job-1", agent: "helper" });
const turn = job.send("Do it");
await job.flush(); // it is stored
await before.close();
console.log((await turn.response).error?.code); // → host_closed

// The worker. It takes up what is due, and stays alive until the platform sends SIGTERM.
const agent = createAgent({ name: "helper", model: scriptedProvider([say("It is done.")]) });
const host = createHost({ agents: [agent], repository: store });
const session = await host.open("job-1"); // only to see its end: the worker would find it by itself
const seen = session.waitForIdle().then(() => {
  console.log(session.messages.map(({ role }) => role).join(" ")); // → user assistant
  process.kill(process.pid, "SIGTERM"); // as the platform does
});
await host.run({ drainMs: 20_000 }); // calls in progress may end, the rest is left to other workers
await seen;
await store.close();
console.log("stopped"); // → stopped
rmSync(folder, { recursive: true });
