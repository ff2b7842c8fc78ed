import { createAgent, createHost } from "@capstan/core";
import type { SessionRepository } from "@capstan/log";
import { fromLoadAndSave } from "@capstan/log";
import { say, scriptedProvider } from "@capstan/testing";

const table = new Map<string, string>(); // your storage: a column of a table, a key in Redis, localStorage

/** One process at a time may use it. Each function may be async. */
function open(): SessionRepository {
  return fromLoadAndSave({
    load: (id) => JSON.parse(table.get(id) ?? "null") as unknown,
    save: (id, session) => void table.set(id, JSON.stringify(session)),
    list: () => [...table.keys()],
    delete: (id) => void table.delete(id),
  });
}

const model = scriptedProvider([say("Rome."), say("By train.")]);
const agent = createAgent({ name: "guide", model });
const host = createHost({ agents: [agent], repository: open() });
const session = await host.session("trip", { agent: "guide" });
console.log(await session.run("Where should I go?")); // → Rome.
await host.close();

const other = createHost({ agents: [agent], repository: open() }); // later, in another process
const trip = await other.session("trip", { agent: "guide" });
console.log(trip.messages.length, await trip.run("How do I get there?")); // → 2 By train.
await other.close();

table.set("broken", '{ "messages": [] }'); // what was loaded is checked
const failure: unknown = await createHost({ agents: [agent], repository: open() })
  .open("broken")
  .catch((error: unknown) => error);
console.log(String(failure).split(". ")[0]); // → SessionError: The saved session "broken" cannot be used: its version must be 1, not undefined
