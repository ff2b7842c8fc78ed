/** The stores, as an owner and a host use them. For B8 and B10. */
import type { Host } from "@capstan/core";
import { createAgent, createHost } from "@capstan/core";
import type { Claim, SessionRepository } from "@capstan/log";
import { postgres } from "@capstan/stores/postgres";
import { sqlite } from "@capstan/stores/sqlite";
import { scriptedProvider } from "@capstan/testing";
import { agentName, compactedId, longId, sessionCount } from "../stored-sessions.ts";
import type { DurableLog, DurableReads, Subject } from "../subject.ts";

export const subject: Subject = {
  name: "store",
  // A session that is read whole needs some 1.8 times the driver: from its checkpoint it must need much less.
  goals: { B8: { ratio: 1.25 }, B10: { ratio: 2 }, "B10, context": { ratio: 0.2 } },
  durable: {
    sqlite: (path, sessions) => open(sqlite(path), sessions),
    postgres: (url, sessions) => open(postgres(url, { schema: `b8_${process.pid}` }), sessions),
  },
  durableReads: {
    sqlite: async (path) => readsOf(sqlite(path)),
    postgres: async (url) => readsOf(postgres(url)),
  },
};

async function open(repository: SessionRepository, sessions: number): Promise<DurableLog> {
  const head = { status: "running", agent: "helper", seen: 0, updatedAt: 0 } as const;
  const claims: Claim[] = [];
  for (let session = 0; session < sessions; session += 1) {
    const id = `s${session}`;
    await repository.create(id, [], head);
    claims.push((await repository.acquire(id, "bench", 3_600_000)) as Claim);
  }
  return {
    append(session, entry) {
      const { lease } = claims[session] as Claim;
      const appended = repository.append(lease.sessionId, [entry], { lease });
      if (!(appended instanceof Promise)) return appended.lastSeq;
      return appended.then(({ lastSeq }) => lastSeq);
    },
  };
}

/** To open a session is to have all that follows from its log. */
function readsOf(repository: SessionRepository): DurableReads {
  const agent = createAgent({ name: agentName, model: scriptedProvider([]) });
  const host = createHost({ agents: [agent], repository, pollMs: Infinity });
  const brief = createHost({ agents: [agent], repository, pollMs: Infinity, reads: "context" });
  return {
    openLong: () => messagesOf(host, longId),
    openCompacted: () => messagesOf(host, compactedId),
    openContext: () => messagesOf(brief, compactedId),
    async listAll() {
      const { sessions } = await repository.list({ limit: sessionCount });
      return sessions.length;
    },
  };
}

async function messagesOf(host: Host, id: string): Promise<number> {
  const session = await host.open(id);
  const count = session.messages.length;
  await session.close();
  return count;
}
