/** A worker: `running-worker.ts <kind> <where> <gate> <drainMs>`. Its tool ends when the file `gate` exists. Prints one line per fact. */
import { existsSync, writeSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { createAgent, createHost, defineTool } from "@capstan/core";
import type { ProviderRequest } from "@capstan/kernel";
import type { ScriptItem } from "@capstan/testing";
import { callTool, say, scriptedProvider } from "@capstan/testing";
import { openStore } from "../open-store.ts";

const [kind = "", where = "", gate = "", drainMs = ""] = process.argv.slice(2);

/** Written at once, whatever happens to this process next. */
function print(line: string): void {
  writeSync(1, `${line}\n`);
}

const work = defineTool({
  name: "work",
  description: "Works",
  input: { type: "object" },
  async execute(_input, { sessionId }) {
    print(`works ${sessionId}`);
    while (!existsSync(gate)) await wait(10);
    return "worked";
  },
});
const replies = Array.from({ length: 10 }, () => (request: ProviderRequest): ScriptItem => {
  return request.messages.at(-1)?.role === "tool" ? say("Done") : callTool("work", {});
});
const store = openStore(kind, where);
const agent = createAgent({ name: "worker", model: scriptedProvider(replies), tools: [work] });
const host = createHost({ agents: [agent], repository: store, pollMs: 50 });
let signals = 0;
process.on("SIGTERM", () => print(`signal ${(signals += 1)}`));

print("running");
await host.run({ drainMs: Number(drainMs) });
await store.close();
print("closed");
