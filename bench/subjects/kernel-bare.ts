/** `runTurn` and nothing else: no clock, no deadlines, no queue. It shows what those cost, and has no goals. */
import type { ChatMessage } from "@capstan/kernel";
import { runTurn, toTurnResponse } from "@capstan/kernel";
import { scriptProvider, toChatMessages, weatherTool } from "../kernel-script.ts";
import type { Agent, AgentOptions, Subject } from "../subject.ts";

export const subject: Subject = { name: "kernel-bare", goals: {}, createAgent };

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
