import { createAgent, createSession } from "@capstan/core";
import { callTool, echoTool, reply, say, scriptedProvider, think } from "@capstan/testing";

const model = scriptedProvider([
  reply(think("A tool would help."), say("One moment."), callTool("echo", { city: "Oslo" })),
  say(["It is ", "sunny."]),
]);
const session = createSession({ agent: createAgent({ model, tools: [echoTool()] }) });

const turn = session.turn({ input: "How is the weather?", id: "first", metadata: { from: "web" } });
for await (const event of turn) {
  switch (event.type) {
    case "thinking_delta":
    case "text_delta":
      console.log(event.type, event.delta); // → thinking_delta A tool would help.
      break;
    case "tool_execution_start":
      console.log(event.type, event.toolName, event.input); // → tool_execution_start echo { city: 'Oslo' }
      break;
    case "tool_execution_end":
      console.log(event.type, event.output); // → tool_execution_end {"city":"Oslo"}
      break;
    case "turn_end":
      console.log(event.type, event.finishReason); // → turn_end stop
      break;
    default: // there are more, and there will be others: pass over what you do not need
  }
}

const { status, text, messages } = await turn.response; // it always resolves, also where the turn failed
console.log(turn.id, status, text, messages.length); // → first completed It is sunny. 3
