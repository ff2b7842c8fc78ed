/** Our server, with the provider's stream, the loop, a session for each request and its log behind it. */
import { createAgent, createHost } from "@capstan/core";
import type { ProviderContract } from "@capstan/kernel";
import { memoryRepository } from "@capstan/log";
import { bearerTokens, createServer } from "@capstan/server";
import { serveNode } from "@capstan/server/node";
import type { LoadSubject } from "./subject.ts";
import { loadToken } from "./subject.ts";

export const subject: LoadSubject = {
  async serve(deltas) {
    const provider: ProviderContract = {
      id: "script",
      contextWindow: 1_000_000,
      async *stream() {
        for await (const delta of deltas()) yield { type: "text_delta", delta };
        yield { type: "finish", reason: "stop" };
      },
    };
    const host = createHost({
      agents: [createAgent({ model: provider })],
      repository: memoryRepository(),
    });
    const authenticate = bearerTokens({ load: loadToken });
    const limits = {
      requestsPerMinute: 1e9,
      sessionsPerPrincipal: Infinity,
      streamsPerPrincipal: 1e9,
    };
    const { url } = await serveNode(createServer({ host, authenticate, limits }));
    return Number(new URL(url).port);
  },
};
