/** One store and one clock for an agent, and as many hosts on them as a test asks for. */
import type { Agent, Host, HostOptions } from "@capstan/core";
import { createHost } from "@capstan/core";
import type { Entry, MemoryRepository } from "@capstan/log";
import { memoryRepository, parseEntry } from "@capstan/log";
import type { ManualClock } from "@capstan/testing";
import { manualClock, sequentialIds } from "@capstan/testing";
import { onTestFinished } from "vitest";

export interface OneStore {
  readonly clock: ManualClock;
  readonly repository: MemoryRepository;
  /** A host of its own, as in another process. */
  host(options?: Partial<HostOptions>): Host;
  entries(sessionId: string): Entry[];
}

export function oneStore(agent: Agent): OneStore {
  const clock = manualClock(1_000);
  const repository = memoryRepository({ now: clock.now });
  const newId = sequentialIds();
  return {
    clock,
    repository,
    host(options = {}) {
      const host = createHost({ agents: [agent], repository, clock, newId, ...options });
      onTestFinished(() => {
        // Neither waited for nor checked: the store of a process that died in the test never answers.
        host.close().catch(() => {});
      });
      return host;
    },
    entries: (sessionId) =>
      repository.read(sessionId).entries.flatMap((entry) => parseEntry(entry) ?? []),
  };
}
