/** One agent for many sessions: each is asked, costs and is told something of its own, by one of a few stories. */
import { createAgent, defineTool, dependency } from "@capstan/core";
import type { Agent, Session } from "@capstan/core";
import type { ChatMessage } from "@capstan/kernel";
import {
  callTool,
  manualClock,
  remoteTool,
  reply,
  say,
  scriptedProvider,
  stall,
  usage,
} from "@capstan/testing";
import type { ManualClock, ScriptItem, ScriptedProvider } from "@capstan/testing";
import { z } from "zod";

export const idOf = (n: number): string => `s-${n}`;
export const numberOf = (sessionId: string): number => Number(sessionId.slice(2));

/** Says which session it thinks that it is in, and with which options. */
const model: ScriptItem = ({ conversationId: id, messages, options }) => {
  const tokens = usage({ inputTokens: numberOf(id), outputTokens: 1 });
  const { maxTokens = 0, thinkingLevel = "", systemPrompt = "" } = options;
  switch (lastText(messages)) {
    case "work":
      return reply(callTool("work", { for: id }), tokens);
    case "ask":
      return reply(callTool("work", { for: id }), callTool("remote", { for: id }), tokens);
    case "talk":
      return reply(tokens, say(`half of ${id}`), stall());
    default:
      return reply(say([id, maxTokens, thinkingLevel, systemPrompt].join("|")), tokens);
  }
};

function lastText(messages: readonly ChatMessage[]): unknown {
  const last = messages.at(-1);
  return last?.role === "user" ? last.content : undefined;
}

/** What was made for a tool, and for whom. */
interface Made {
  readonly kind: "turn" | "session";
  readonly users: Set<string>;
  disposed: number;
}

export interface Crowd {
  readonly agent: Agent;
  readonly provider: ScriptedProvider;
  readonly clock: ManualClock;
  readonly made: readonly Made[];
  /** Resolves when so many calls of the tool wait. */
  whenWaiting(count: number): Promise<void>;
  /** Lets all of them go on, and those that come later. */
  release(): void;
}

export function createCrowd(requests: number): Crowd {
  const made: Made[] = [];
  const make = (kind: Made["kind"]) => (): Made => {
    made.push({ kind, users: new Set(), disposed: 0 });
    return made.at(-1) as Made;
  };
  const dispose = (value: Made): void => void value.disposed++;
  const OfTurn = dependency("of the turn", make("turn"), { dispose });
  const OfSession = dependency("of the session", make("session"), { scope: "session", dispose });
  const gate = Promise.withResolvers<void>();
  const calls: { waiting: number; wanted: number; reached: () => void } = {
    waiting: 0,
    wanted: Infinity,
    reached: () => {},
  };
  const work = defineTool({
    name: "work",
    description: "Works",
    input: z.object({ for: z.string() }),
    async execute({ for: caller }, { sessionId, turnId, get }) {
      (await get(OfTurn)).users.add(`${sessionId} ${turnId}`);
      (await get(OfSession)).users.add(sessionId);
      calls.waiting += 1;
      if (calls.waiting >= calls.wanted) calls.reached();
      await gate.promise;
      return `${caller} in ${sessionId}`;
    },
  });
  const provider = scriptedProvider(Array(requests).fill(model));
  const tools = [work, remoteTool()];
  return {
    agent: createAgent({ name: "helper", model: provider, tools, instructions: "Be brief." }),
    provider,
    clock: manualClock(1_000),
    made,
    async whenWaiting(count) {
      if (calls.waiting >= count) return;
      await new Promise<void>((reached) => Object.assign(calls, { wanted: count, reached }));
    },
    release: () => gate.resolve(),
  };
}

/** One way to use a session, and what has to be in it afterwards. */
export interface Story {
  /** Until the first call of its tool waits, or it is over. */
  begin(session: Session): unknown;
  /** While that call waits. */
  interfere?(session: Session): Promise<unknown>;
  /** When it goes on. */
  end?(session: Session): Promise<unknown>;
  /** The texts of its messages. */
  texts(id: string): string[];
  readonly requests: number;
}

const done = (id: string): string => `${id}|0||Be brief.`;
const worked = (id: string): string[] => ["work", "call", `${id} in ${id}`];

const stories: readonly Story[] = [
  {
    begin: (session) => session.send("work"),
    texts: (id) => [...worked(id), done(id)],
    requests: 2,
  },
  {
    begin: (session) => session.send("work"),
    interfere: (session) => session.steer(`left of ${session.id}`),
    texts: (id) => [...worked(id), `left of ${id}`, done(id)],
    requests: 2,
  },
  {
    begin: async (session) => {
      const turn = session.send("talk");
      for await (const event of turn) if (event.type === "text_delta") await session.abort();
    },
    texts: (id) => ["talk", `half of ${id}`, "[interrupted by user]"],
    requests: 1,
  },
  {
    begin: (session) => session.send("ask"),
    end: async (session) => {
      await session.waitForIdle();
      const [call] = session.pendingToolCalls;
      const toolCallId = call?.toolCallId ?? "";
      await session.send([{ toolCallId, output: `picked in ${session.id}` }]).response;
    },
    texts: (id) => ["ask", "call,call", `${id} in ${id}`, `picked in ${id}`, done(id)],
    requests: 2,
  },
  {
    begin: (session) => session.send("work", { maxTokens: numberOf(session.id) + 1 }),
    end: async (session) => {
      await session.waitForIdle();
      await session.send("work").response;
    },
    texts: (id) => [...worked(id), `${id}|${numberOf(id) + 1}||Be brief.`, ...worked(id), done(id)],
    requests: 4,
  },
  {
    begin: async (session) => {
      await session.configure({ thinkingLevel: "high", instructions: `I am ${session.id}.` });
      session.send("work");
    },
    texts: (id) => [...worked(id), `${id}|0|high|I am ${id}.`],
    requests: 2,
  },
  {
    begin: (session) => session.send("work"),
    interfere: (session) => session.followUp("work"),
    texts: (id) => [...worked(id), done(id), ...worked(id), done(id)],
    requests: 4,
  },
];

export const storyOf = (n: number): Story => stories[n % stories.length] as Story;
/** How many of its turns call the tool. */
export const callsOf = (n: number): number =>
  storyOf(n)
    .texts("")
    .filter((text) => text.startsWith("call")).length;
