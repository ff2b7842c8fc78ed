/** A session of a host on the memory store, with a subscriber: everything that lasts of a turn is recorded before it is shown. */
import type { Host, Session } from "@capstan/core";
import { createAgent as createCapstanAgent, createHost } from "@capstan/core";
import type { ChatMessage } from "@capstan/kernel";
import type { MemoryRepository } from "@capstan/log";
import { memoryRepository } from "@capstan/log";
import { scriptProvider, toChatMessages, weatherTool } from "../kernel-script.ts";
import type { Agent, AgentOptions, Subject } from "../subject.ts";

export const subject: Subject = {
  name: "session",
  goals: {
    B1: { ratio: 6 },
    B2: { ratio: 1.5 },
    B3: { ratio: 1.5 },
    B4: { ratio: 6, rssKB: 90 },
    B5: { wallMs: 40, cpuMs: 40, rssMB: 10 },
  },
  packageFolder: "packages/core",
  createAgent,
};

async function createAgent(options: AgentOptions): Promise<Agent<Conversation>> {
  const repository = memoryRepository();
  const agent = createCapstanAgent({
    model: scriptProvider(options),
    tools: [weatherTool(options)],
  });
  const host = createHost({ agents: [agent], repository });
  const messagesPerTurn = 2 + 2 * options.script.toolSteps;
  return {
    // The last message is the one to be sent.
    prepareHistory: (messages) =>
      new Conversation(host, repository, toChatMessages(messages).slice(0, -1)),
    async turn(conversation, seen) {
      const session = await conversation.grow(messagesPerTurn);
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

/**
 * Its session makes room for a new one when it has grown: how long its history is stays what the bench says. One that begins
 * empty is new for every turn.
 */
class Conversation {
  readonly history: readonly ChatMessage[];
  readonly #host: Host;
  readonly #repository: MemoryRepository;
  readonly #maxGrowth: number;
  #session: Session | undefined;
  #growth = 0;

  constructor(host: Host, repository: MemoryRepository, history: readonly ChatMessage[]) {
    this.history = history;
    this.#host = host;
    this.#repository = repository;
    this.#maxGrowth = history.length === 0 ? 0 : Math.max(100, history.length / 5);
  }

  /** The session that is about to get so many messages. */
  async grow(messages: number): Promise<Session> {
    if (this.#session !== undefined && this.#growth >= this.#maxGrowth) {
      await this.#session.close();
      this.#repository.delete(this.#session.id);
      this.#session = undefined;
    }
    if (this.#session === undefined) this.#growth = 0;
    this.#growth += messages;
    const { history } = this;
    return (this.#session ??= this.#host.createSession({ agent: "agent", history }));
  }
}
