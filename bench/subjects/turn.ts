/** The same as `kernel-timed`, its events read from the `Turn` that `startTurn` gives: what an async iterator of all events adds. */
import type { ChatMessage } from "@capstan/kernel";
import { runTurn, startTurn, toTurnResponse } from "@capstan/kernel";
import { scriptProvider, timer, toChatMessages, weatherTool } from "../kernel-script.ts";
import type { Agent, AgentOptions, Subject } from "../subject.ts";

export const subject: Subject = { name: "turn", goals: {}, createAgent };

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
          clock: { timer },
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
