/** What a turn stores: recorded from a session, so that a bare driver can store the same. */
import { createHost } from "@capstan/core";
import type { NewEntry, SessionHead, SessionRepository } from "@capstan/log";
import { memoryRepository } from "@capstan/log";
import { createWorkAgent } from "./capacity-agent.ts";

/** One durable write: entries, and the changes of their session's row that come with them. */
export interface TurnWrite {
  readonly entries: readonly NewEntry[];
  readonly head?: SessionHead | undefined;
  readonly lease?: "taken" | "released" | undefined;
}

/** The writes of the second turn of a session of `createWorkAgent`, in order. */
export async function recordTurnWrites(): Promise<readonly TurnWrite[]> {
  const writes: TurnWrite[] = [];
  const host = createHost({ agents: [createWorkAgent()], repository: recording(writes) });
  const session = host.createSession({ agent: "worker" });
  await session.run("go");
  await session.waitForIdle();
  writes.length = 0;
  await session.run("go");
  await host.close();
  return writes;
}

/** Every write of such a turn is a post or an append, as a test says. */
function recording(writes: TurnWrite[]): SessionRepository {
  const memory = memoryRepository();
  return {
    ...memory,
    post(id, entry, options) {
      const posted = memory.post(id, entry, options);
      const start = posted.isStarted === true ? options?.start : undefined;
      const entries = [entry, ...(start?.entries ?? [])];
      const lease = posted.claim === undefined ? undefined : "taken";
      writes.push({ entries, head: start?.head, lease });
      return posted;
    },
    append(id, entries, options) {
      const lease = options.releases === true ? "released" : undefined;
      writes.push({ entries, head: options.head, lease });
      return memory.append(id, entries, options);
    },
  };
}
