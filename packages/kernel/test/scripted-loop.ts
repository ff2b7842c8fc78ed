/** An agent loop on a script, with the two queues of its caller. */
import type { AgentLoopConfig, ChatMessage, UserMessage } from "@capstan/kernel";
import { scriptedProvider, sequentialIds } from "@capstan/testing";
import type { ScriptItem, ScriptedProvider } from "@capstan/testing";

interface Queues {
  readonly steering?: readonly ChatMessage[];
  readonly followUps?: readonly ChatMessage[];
}

export interface ScriptedLoop {
  readonly provider: ScriptedProvider;
  readonly config: AgentLoopConfig;
  /** Messages that have not been taken yet. */
  readonly steering: ChatMessage[];
  readonly followUps: ChatMessage[];
}

/** A caller's queues: a callback that hands over everything that waits. */
export function scriptedLoop(script: readonly ScriptItem[], queues: Queues = {}): ScriptedLoop {
  const provider = scriptedProvider(script);
  const steering = [...(queues.steering ?? [])];
  const followUps = [...(queues.followUps ?? [])];
  const config: AgentLoopConfig = {
    provider,
    conversationId: "c1",
    turnId: "t1",
    clock: { newId: sequentialIds() },
    getSteeringMessages: () => steering.splice(0),
    getFollowUpMessages: () => followUps.splice(0),
  };
  return { provider, config, steering, followUps };
}

export function user(id: string): UserMessage {
  return { role: "user", id, content: `Message ${id}` };
}

/** The ids of the user messages. */
export function userIds(messages: readonly ChatMessage[] | undefined): string[] {
  return (messages ?? []).filter((message) => message.role === "user").map((message) => message.id);
}
