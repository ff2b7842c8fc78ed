import { runTurn } from "@capstan/kernel";
import { offlineProvider } from "@capstan/providers/offline";
import { lsTool, readTool } from "@capstan/toolset";

const { messages } = await runTurn({
  provider: offlineProvider(),
  messages: [{ role: "user", id: "1", content: "What is in this folder?" }],
  tools: [lsTool(), readTool()],
  cwd: process.cwd(),
  dispatch: {},
  emit: () => {},
  conversationId: "c",
  turnId: "t",
});
console.log(messages.at(-1));
