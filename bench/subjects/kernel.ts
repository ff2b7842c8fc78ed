/** `runTurn` as a program uses it: with a clock and deadlines, its events read from a turn. */
import type { ChatMessage, Timer } from "@capstan/kernel";
import { runTurn, startTurn, toTurnResponse } from "@capstan/kernel";
import { scriptProvider, toChatMessages, weatherTool } from "../kernel-script.ts";
import type { Agent, AgentOptions, Subject } from "../subject.ts";

export const subject: Subject = {
  name: "kernel",
  goals: {
    B1: { ratio: 2 },
    B2: { ratio: 1.1, heapMB: 1 },
    B3: { ratio: 1.5 },
    B4: { ratio: 1.5, rssKB: 50 },
    B5: { wallMs: 10, cpuMs: 10, dependencies: 0 },
  },
  packageFolder: "packages/kernel",
  createAgent,
};

const timer: Timer = (ms, fn) => {
  const timeout = setTimeout(fn, ms).unref();
  return () => clearTimeout(timeout);
};

async function createAgent(options: AgentOptions): Promise<Agent<readonly ChatMessage[]>> {
  const provider = scriptProvider(options);
  const tools = [weatherTool(options)];
  let turns = 0;
  return {
    prepareHistory: toChatMessages,
    async turn(messages, seen) {
      const turnId = `turn_${turns++}`;
      const turn = startTurn(turnId, ({ emit, signal }) =>
        runTurn({
          provider,
          messages,
          tools,
          dispatch: {},
          emit,
          signal,
          conversationId: "bench",
          turnId,
          now: Date.now,
          timer,
        }).then(toTurnResponse),
      );
      for await (const event of turn) {
        seen.events++;
        if (event.type === "text_delta") seen.delta(event.delta);
      }
      return (await turn.response).text;
    },
  };
}
