/** One store and one clock, and as many hosts on them as a test asks for. */
import { createAgent, createHost } from "@capstan/core";
import type { Agent, AgentInit, Host, HostOptions } from "@capstan/core";
import type { ToolContract } from "@capstan/kernel";
import { eventsOf, memoryRepository, parseEntry } from "@capstan/log";
import type { Entry, MemoryRepository, PlacedEvent } from "@capstan/log";
import type { ManualClock, ScriptItem, ScriptedProvider } from "@capstan/testing";
import { manualClock, scriptedProvider, sequentialIds } from "@capstan/testing";
import { onTestFinished } from "vitest";

export interface World {
  readonly clock: ManualClock;
  readonly repository: MemoryRepository;
  readonly provider: ScriptedProvider;
  readonly agent: Agent;
  /** A host of its own, as in another process. */
  host(options?: Partial<HostOptions>): Host;
  entries(sessionId: string): Entry[];
  events(sessionId: string): PlacedEvent[];
}

export function createWorld(
  script: readonly ScriptItem[],
  tools: readonly ToolContract[] = [],
  settings: Partial<AgentInit> = {},
): World {
  const clock = manualClock(1_000);
  const repository = memoryRepository({ now: clock.now });
  const provider = scriptedProvider([...script]);
  const retry = { maxAttempts: 1 };
  const agent = createAgent({ name: "helper", model: provider, tools, retry, ...settings });
  const newId = sequentialIds();
  const entries = (sessionId: string): Entry[] =>
    repository
      .read(sessionId)
      .entries.map((entry) => parseEntry(entry))
      .filter((entry) => entry !== undefined);
  return {
    clock,
    repository,
    provider,
    agent,
    host(options = {}) {
      const host = createHost({ agents: [agent], repository, clock, newId, ...options });
      onTestFinished(() => {
        // Neither waited for nor checked: the store of a process that died in the test never answers.
        host.close().catch(() => {});
      });
      return host;
    },
    entries,
    events: (sessionId) => eventsOf(sessionId, entries(sessionId)),
  };
}
