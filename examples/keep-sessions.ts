import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent, createHost } from "@capstan/core";
import { exportSession, importSession } from "@capstan/log";
import { fs } from "@capstan/stores/fs";
import { sqlite } from "@capstan/stores/sqlite";
import { say, scriptedProvider } from "@capstan/testing";

const model = scriptedProvider([say("Rome."), say("By train.")]);
const agent = createAgent({ name: "guide", model });
const folder = mkdtempSync(join(tmpdir(), "capstan-"));

const store = sqlite(join(folder, "sessions.db")); // or postgres(process.env.DATABASE_URL)
const host = createHost({ agents: [agent], repository: store });
const session = await host.session("trip", { agent: "guide" }); // opens it, or creates it
console.log(await session.run("Where should I go?")); // → Rome.
await host.close();
await store.close();

const same = sqlite(join(folder, "sessions.db")); // later, in another process
const other = createHost({ agents: [agent], repository: same });
const trip = await other.session("trip", { agent: "guide" });
console.log(trip.messages.length, await trip.run("How do I get there?")); // → 2 By train.
await other.close();

const files = fs(join(folder, "sessions")); // a log for each session, as lines of JSON
await importSession(files, exportSession(same, "trip"), {
  id: "copy",
  now: Date.now(),
  trust: "own",
});
const [copy] = (await files.list()).sessions;
console.log(copy?.id, copy?.head.status); // → copy completed
await same.close();
await files.close();
