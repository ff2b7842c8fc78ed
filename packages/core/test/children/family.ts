/** A session whose agent uses other agents, on one store and one clock. */
import type { Agent, AgentInit, AgentToolOptions, Session } from "@capstan/core";
import { agentTool, createAgent } from "@capstan/core";
import type { PendingCall, ToolContract } from "@capstan/kernel";
import type { echoTool, ScriptItem } from "@capstan/testing";
import { scriptedProvider } from "@capstan/testing";
import { mortal } from "../mortal.ts";
import type { OneStore } from "../one-store.ts";
import { oneStore } from "../one-store.ts";

export interface Family extends OneStore {
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
  const store = oneStore(root);
  return {
    ...store,
    childrenOf: (sessionId) =>
      store
        .entries(sessionId)
        .flatMap((entry) => (entry.type === "child_started" ? entry.childId : [])),
  };
}

/** The session of a root whose process dies in the middle of its first turn, as another process has it once its lease has run out. */
export async function afterCrash(world: Family): Promise<Session> {
  const process = mortal(world.repository);
  const session = world.host({ repository: process.repository }).createSession({ agent: "root" });
  session.send("Go");
  await world.clock.advance(0);
  process.die();
  const elsewhere = await world.host().open(session.id);
  await world.clock.advance(80_000);
  return elsewhere;
}

/** A root whose child has a tool that needs an approval. */
export interface Asked {
  readonly world: Family;
  readonly session: Session;
  readonly tool: ReturnType<typeof echoTool>;
  readonly childId: string;
}

export function firstOf(calls: readonly PendingCall[]): PendingCall {
  const [call] = calls;
  if (call === undefined) throw new Error("No call is pending");
  return call;
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
