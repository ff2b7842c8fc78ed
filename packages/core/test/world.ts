/** An agent with a scripted model on one store. */
import { createAgent } from "@capstan/core";
import type { Agent, AgentInit } from "@capstan/core";
import type { ToolContract } from "@capstan/kernel";
import { eventsOf } from "@capstan/log";
import type { PlacedEvent } from "@capstan/log";
import type { ScriptItem, ScriptedProvider } from "@capstan/testing";
import { scriptedProvider } from "@capstan/testing";
import type { OneStore } from "./one-store.ts";
import { oneStore } from "./one-store.ts";

export interface World extends OneStore {
  readonly provider: ScriptedProvider;
  readonly agent: Agent;
  events(sessionId: string): PlacedEvent[];
}

export function createWorld(
  script: readonly ScriptItem[],
  tools: readonly ToolContract[] = [],
  settings: Partial<AgentInit> = {},
): World {
  const provider = scriptedProvider([...script]);
  const retry = { maxAttempts: 1 };
  const agent = createAgent({ name: "helper", model: provider, tools, retry, ...settings });
  const store = oneStore(agent);
  const events = (sessionId: string): PlacedEvent[] =>
    eventsOf(sessionId, store.entries(sessionId));
  return { ...store, provider, agent, events };
}
