/** `runTurn` with a clock and deadlines as well: what they add. */
import type { ChatMessage } from "@capstan/kernel";
import { runTurn, toTurnResponse } from "@capstan/kernel";
import { scriptProvider, timer, toChatMessages, weatherTool } from "../kernel-script.ts";
import type { Agent, AgentOptions, Subject } from "../subject.ts";

export const subject: Subject = { name: "kernel-timed", goals: {}, createAgent };

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
        now: Date.now,
        timer,
      });
      return toTurnResponse(result).text;
    },
  };
}
