import { runTurn } from "@capstan/kernel";
import { offlineProvider } from "@capstan/providers/offline";
import { lsTool, readTool } from "@capstan/toolset";

await runTurn({
  provider: offlineProvider(),
  messages: [{ role: "user", id: "1", content: "Read package.json" }],
  tools: [lsTool(), readTool()],
  emit: (event) => event.type === "text_end" && console.log(event.text),
  dispatch: {},
  conversationId: "c",
  turnId: "t",
});
