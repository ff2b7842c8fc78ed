/** The refund on OpenAI Agents: the state of the run is stored when it is interrupted, and loaded to go on, as its documentation says. */
import { readFileSync, writeFileSync } from "node:fs";
import { Agent, run, RunState, setTracingDisabled, tool, Usage } from "@openai/agents";
import { z } from "zod";
import { answerTo, bank, orderOf, question } from "../refund/refund.mjs";

setTracingDisabled(true);
const { command, where } = orderOf();

const refund = tool({
  name: "refund",
  description: "Refunds an order",
  parameters: z.object({ order: z.string() }),
  needsApproval: true,
  execute: ({ order }) => bank(order),
});

const model = {
  async getResponse({ input }) {
    const last = typeof input === "string" ? undefined : input.at(-1);
    const isDone = last?.type === "function_call_result";
    const output = isDone
      ? {
          type: "message",
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: answerTo(JSON.stringify(last.output)) }],
        }
      : {
          type: "function_call",
          callId: "call_1",
          name: "refund",
          arguments: '{"order":"A-1"}',
          status: "completed",
        };
    return { usage: new Usage(), output: [output] };
  },
  getStreamedResponse() {
    throw new Error("This model does not stream");
  },
};

const agent = new Agent({ name: "clerk", model, tools: [refund] });
let result;
if (command === "ask") result = await run(agent, question);
else {
  const state = await RunState.fromString(agent, readFileSync(where, "utf8"));
  for (const interruption of state.getInterruptions()) state.approve(interruption);
  result = await run(agent, state);
}
writeFileSync(where, result.state.toString());
console.log(result.finalOutput ?? "waiting for an approval");
