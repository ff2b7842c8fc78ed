/** The loop on a log: the memory store, the folds, and the events of the entries. What a session is made of, without the session. */
import type { ChatMessage } from "@capstan/kernel";
import { runTurn, toTurnResponse } from "@capstan/kernel";
import type { Entry, MemoryRepository, PostedEntry } from "@capstan/log";
import { EventFeed, memoryRepository } from "@capstan/log";
import { scriptProvider, timer, toChatMessages, weatherTool } from "../kernel-script.ts";
import type { Agent, AgentOptions, Subject } from "../subject.ts";
import { TurnEntries } from "../turn-entries.ts";

export const subject: Subject = { name: "kernel-log", goals: {}, createAgent };

const idle = { status: "idle", agent: "agent", seen: 1, updatedAt: 0 } as const;

async function createAgent(options: AgentOptions): Promise<Agent<readonly ChatMessage[]>> {
  const provider = scriptProvider(options);
  const tools = [weatherTool(options)];
  const repository = memoryRepository();
  let turns = 0;
  return {
    prepareHistory: toChatMessages,
    async turn(messages, seen) {
      const turnId = `turn_${turns++}`;
      const log = new TurnLog(repository, turnId, messages);
      const result = await runTurn(
        {
          provider,
          messages,
          tools,
          dispatch: {},
          journal: {
            isShown: true,
            record(facts) {
              seen.events += log.append(log.made.of(facts));
            },
          },
          emit(event) {
            seen.events++;
            log.feed.live(event);
            if (event.type === "text_delta") seen.delta(event.delta);
          },
          conversationId: turnId,
          turnId,
          now: Date.now,
          clock: { timer },
        },
        { sessionId: turnId, turnId },
      );
      log.end();
      return toTurnResponse(result).text;
    },
  };
}

/** The log of a session with one turn. */
class TurnLog {
  readonly feed: EventFeed;
  readonly made: TurnEntries;
  readonly #repository: MemoryRepository;
  readonly #id: string;
  readonly #lease;

  constructor(repository: MemoryRepository, id: string, messages: readonly ChatMessage[]) {
    this.#repository = repository;
    this.#id = id;
    this.feed = new EventFeed(id);
    this.made = new TurnEntries(id, 0);
    const created: Entry = { ...this.made.envelope(), type: "created", agent: "agent" };
    const input: Entry & PostedEntry = { ...this.made.envelope(), type: "input", messages };
    repository.create(id, [created], idle);
    repository.post(id, input);
    this.feed.take([created, input]);
    const claim = repository.acquire(id, "bench", 30_000);
    if (claim === undefined) throw new Error("Somebody else has a session of this turn");
    this.#lease = claim.lease;
    this.append([{ ...this.made.envelope(), type: "turn_started", turnId: id, input: [input.id] }]);
  }

  /** Gives the number of its events. */
  append(entries: readonly Entry[]): number {
    this.#repository.append(this.#id, entries, { lease: this.#lease });
    return this.feed.take(entries).length;
  }

  end(): void {
    this.#repository.release(this.#lease);
    this.#repository.delete(this.#id);
  }
}
