import { runTurn } from "@capstan/kernel";
import { say, scriptedProvider } from "@capstan/testing";

const result = await runTurn({
  provider: scriptedProvider([say("Hello.")]),
  messages: [{ role: "user", id: "1", content: "Hi" }],
  tools: [],
  dispatch: {},
  emit: (event) => console.log(event.type),
  conversationId: "demo",
  turnId: "first",
});
console.log(result.finishReason, result.messages);
