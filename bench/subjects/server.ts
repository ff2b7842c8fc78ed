/** The server on a port, with everything behind it: the provider's stream, the loop, the session, the log. For B5, B7 and B13. */
import { createAgent, createHost } from "@capstan/core";
import type { ProviderContract } from "@capstan/kernel";
import { memoryRepository } from "@capstan/log";
import { bearerTokens, createServer } from "@capstan/server";
import { serveNode } from "@capstan/server/node";
import { inReads } from "../paced-deltas.ts";
import type { DeltaServer, Subject } from "../subject.ts";

const token = "bench-0123456789abcdef";

export const subject: Subject = {
  name: "server",
  goals: {
    B5: { wallMs: 60, cpuMs: 60, rssMB: 15 },
    B7: { bytes: 60, ratio: 2 },
    B13: { ratio: 0.25 },
  },
  packageFolder: "packages/server",
  serveDeltas: (deltas) => serve(deltas, "/api/agent/execute", { input: "go" }),
  serveChunks: (deltas) => serve(deltas, "/api/chat", { id: "chat", messages: [message] }),
};

const message = { id: "m1", role: "user", parts: [{ type: "text", text: "go" }] };

async function serve(deltas: readonly string[], path: string, body: object): Promise<DeltaServer> {
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
    url: `${url}${path}`,
    init: {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    },
    async forget() {
      const { sessions } = await host.list();
      for (const { id } of sessions) await host.delete(id);
    },
  };
}
