/** A server in a process of its own, on a store that others share: `served-worker.ts <kind> <where> <isStuck>`. */
import { createAgent, createHost } from "@capstan/core";
import type { ProviderContract } from "@capstan/kernel";
import { bearerTokens, createServer } from "@capstan/server";
import { serveNode } from "@capstan/server/node";
import { openStore } from "../open-store.ts";

const [kind = "", where = "", isStuck = ""] = process.argv.slice(2);

/** Tells what it was shown. One that is stuck never answers what is slow. */
const model: ProviderContract = {
  id: "mirror",
  async *stream({ messages }) {
    const shown = JSON.stringify(messages);
    if (isStuck === "stuck" && shown.includes("slow")) await new Promise(() => {});
    yield { type: "text_delta", delta: `I was shown ${messages.length}: ${shown}` };
    yield { type: "finish", reason: "stop" };
  },
};

const agent = createAgent({ name: "helper", model, compaction: false });
const host = createHost({
  agents: [agent],
  repository: openStore(kind, where),
  leaseMs: 1_500,
  pollMs: 100,
});
const authenticate = bearerTokens({ ann: "ann-0123456789abcdef" });
const { url } = await serveNode(createServer({ host, authenticate }));
process.send?.({ url });
