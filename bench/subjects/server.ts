/** The server on a port, with everything behind it: the provider's stream, the loop, the session, the log. For B5 and B7. */
import { createAgent, createHost } from "@capstan/core";
import type { ProviderContract } from "@capstan/kernel";
import { memoryRepository } from "@capstan/log";
import { bearerTokens, createServer } from "@capstan/server";
import { serveNode } from "@capstan/server/node";
import { inReads } from "../paced-deltas.ts";
import type { Subject } from "../subject.ts";

const token = "bench-0123456789abcdef";

export const subject: Subject = {
  name: "server",
  goals: {
    B5: { wallMs: 60, cpuMs: 60, rssMB: 15 },
    B7: { bytes: 60, ratio: 2 },
  },
  packageFolder: "packages/server",
  async serveDeltas(deltas) {
    const provider: ProviderContract = {
      id: "script",
      contextWindow: 1_000_000,
      async *stream() {
        for await (const delta of inReads(deltas)) yield { type: "text_delta", delta };
        yield { type: "finish", reason: "stop" };
      },
    };
    const agent = createAgent({ model: provider });
    const host = createHost({ agents: [agent], repository: memoryRepository() });
    const authenticate = bearerTokens({ bench: token });
    const limits = { requestsPerMinute: 1e9 };
    const { url } = await serveNode(createServer({ host, authenticate, limits }));
    return {
      url: `${url}/api/agent/execute`,
      init: {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ input: "go" }),
      },
      async forget() {
        const { sessions } = await host.list();
        for (const { id } of sessions) await host.delete(id);
      },
    };
  },
};
