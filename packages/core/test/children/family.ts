/** A session whose agent uses other agents, on one store and one clock. */
import type { Agent, AgentInit, AgentToolOptions, Host, HostOptions, Session } from "@capstan/core";
import { agentTool, createAgent, createHost } from "@capstan/core";
import type { ToolContract } from "@capstan/kernel";
import type { Entry, MemoryRepository } from "@capstan/log";
import { memoryRepository, parseEntry } from "@capstan/log";
import type { ManualClock, ScriptItem } from "@capstan/testing";
import { manualClock, scriptedProvider, sequentialIds } from "@capstan/testing";
import { onTestFinished } from "vitest";

export interface Family {
  readonly clock: ManualClock;
  readonly repository: MemoryRepository;
  host(options?: Partial<HostOptions>): Host;
  entries(sessionId: string): Entry[];
  /** Ids of the children that a log names. */
  childrenOf(sessionId: string): string[];
}

const retry = { maxAttempts: 1 };

/** An agent that follows a script, with tools of its own and agents that it may use. */
export function member(
  name: string,
  script: readonly ScriptItem[],
  tools: readonly ToolContract[] = [],
  settings: Partial<AgentInit> = {},
): Agent {
  const model = scriptedProvider([...script]);
  return createAgent({ name, model, tools, retry, ...settings });
}

export function asTool(agent: Agent, memory?: "call" | "session"): ToolContract {
  return agentTool(agent, {
    description: `Asks ${agent.name}`,
    ...(memory && { memory }),
  });
}

/** The agent as a tool that does not wait for it. */
export function inBackground(
  agent: Agent,
  options: Omit<AgentToolOptions, "description"> = {},
): ToolContract {
  return agentTool(agent, {
    description: `Asks ${agent.name}`,
    mode: "background",
    ...options,
  });
}

export function family(root: Agent): Family {
  const clock = manualClock(1_000);
  const repository = memoryRepository({ now: clock.now });
  const newId = sequentialIds();
  const entries = (sessionId: string): Entry[] =>
    repository
      .read(sessionId)
      .entries.map((entry) => parseEntry(entry))
      .filter((entry) => entry !== undefined);
  return {
    clock,
    repository,
    host(options = {}) {
      const host = createHost({ agents: [root], repository, clock, newId, ...options });
      onTestFinished(() => {
        // Neither waited for nor checked: the store of a process that died in the test never answers.
        host.close().catch(() => {});
      });
      return host;
    },
    entries,
    childrenOf: (sessionId) =>
      entries(sessionId).flatMap((entry) => (entry.type === "child_started" ? entry.childId : [])),
  };
}

/** Texts of the results that children in the background have sent. */
export function answersOf(session: Session): string[] {
  return session.messages.flatMap((message) => {
    if (message.role !== "user" || message.source !== "child") return [];
    return typeof message.content === "string" ? [message.content] : [];
  });
}

/** The result of the call in the last step, as the model of the parent gets it. */
export function resultsOf(session: Session): string[] {
  return session.messages.flatMap((message) =>
    message.role === "tool" && typeof message.content === "string" ? [message.content] : [],
  );
}
