/** A session of a host on the memory store, with a subscriber: everything that lasts of a turn is recorded before it is shown. */
import type { Session } from "@capstan/core";
import { createAgent as createCapstanAgent, createHost } from "@capstan/core";
import { memoryRepository } from "@capstan/log";
import type { ChatMessage } from "@capstan/kernel";
import { scriptProvider, toChatMessages, weatherTool } from "../kernel-script.ts";
import type { Agent, AgentOptions, Subject } from "../subject.ts";

export const subject: Subject = {
  name: "session",
  goals: {
    B1: { ratio: 3 },
    B2: { ratio: 1.5 },
    B3: { ratio: 1.5 },
    B4: { ratio: 2.5 },
    B5: { wallMs: 40, cpuMs: 40, heapMB: 10, dependencies: 3 },
  },
  packageFolder: "packages/core",
  createAgent,
};

/**
 * Its session makes room for a new one when it has grown: how long its history is stays what the bench says. One that begins
 * empty is new for every turn.
 */
interface Conversation {
  readonly history: readonly ChatMessage[];
  session: Session | undefined;
  /** How many messages the session has got. */
  growth: number;
}

async function createAgent(options: AgentOptions): Promise<Agent<Conversation>> {
  const repository = memoryRepository();
  const agent = createCapstanAgent({
    model: scriptProvider(options),
    tools: [weatherTool(options)],
  });
  const host = createHost({ agents: [agent], repository });
  const messagesPerTurn = 2 + 2 * options.script.toolSteps;
  const sessionOf = async (conversation: Conversation): Promise<Session> => {
    const { history, session, growth } = conversation;
    conversation.growth += messagesPerTurn;
    const maxGrowth = history.length === 0 ? 0 : Math.max(100, history.length / 5);
    if (session !== undefined) {
      if (growth < maxGrowth) return session;
      await session.close();
      repository.delete(session.id);
    }
    conversation.growth = messagesPerTurn;
    return (conversation.session = host.createSession({ agent: agent.name, history }));
  };
  return {
    // The last message is the one to be sent.
    prepareHistory: (messages) => ({
      history: toChatMessages(messages).slice(0, -1),
      session: undefined,
      growth: 0,
    }),
    async turn(conversation, seen) {
      const session = await sessionOf(conversation);
      const unsubscribe = session.subscribe((event) => {
        seen.events++;
        if (event.type === "text_delta") seen.delta(event.delta);
      });
      const { text } = await session.send("go").response;
      unsubscribe();
      return text;
    },
  };
}
