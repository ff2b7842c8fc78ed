/** A process whose turns all stand still, to be killed: `standing-worker.ts <kind> <where> <ids as JSON>`. */
import { createAgent, createHost } from "@capstan/core";
import type { ProviderPart } from "@capstan/kernel";
import { openStore } from "../open-store.ts";

const [kind = "", where = "", ids = "[]"] = process.argv.slice(2);
const sessions = JSON.parse(ids) as readonly string[];
let asked = 0;

async function* stream(): AsyncGenerator<ProviderPart> {
  asked += 1;
  if (asked === sessions.length) process.send?.("standing");
  await new Promise(() => {});
  yield { type: "finish", reason: "stop" };
}

const agent = createAgent({ name: "stander", model: { id: "m", stream }, compaction: false });
const host = createHost({ agents: [agent], repository: openStore(kind, where), onError: () => {} });
for (const id of sessions) host.createSession({ agent: "stander", id }).send("Stand still");
