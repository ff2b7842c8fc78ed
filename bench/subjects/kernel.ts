/** `runTurn` with a listener: like the floors, it keeps no time. */
import type { ChatMessage } from "@capstan/kernel";
import { runTurn, toTurnResponse } from "@capstan/kernel";
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

async function createAgent(options: AgentOptions): Promise<Agent<readonly ChatMessage[]>> {
  const provider = scriptProvider(options);
  const tools = [weatherTool(options)];
  let turns = 0;
  return {
    prepareHistory: toChatMessages,
    async turn(messages, seen) {
      const result = await runTurn({
        provider,
        messages,
        tools,
        dispatch: {},
        emit(event) {
          seen.events++;
          if (event.type === "text_delta") seen.delta(event.delta);
        },
        conversationId: "bench",
        turnId: `turn_${turns++}`,
      });
      return toTurnResponse(result).text;
    },
  };
}
