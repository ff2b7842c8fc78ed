import { runTurn, type OpenCall, type RunTurnInput, type ToolContract } from "@capstan/kernel";
import { callTool, say, scriptedProvider } from "@capstan/testing";

const book: ToolContract = {
  name: "book",
  description: "Books a table",
  inputSchema: { type: "object", properties: { people: { type: "integer" } } },
  needsApproval: true,
  execute: async ({ people }: { people: number }) => `Booked for ${people}`,
};
const base: Omit<RunTurnInput, "messages" | "turnId"> = {
  provider: scriptedProvider([callTool("book", { people: 4 }), say("See you tonight.")]),
  tools: [book],
  dispatch: {},
  conversationId: "demo",
  emit: (event) => event.type === "text_delta" && console.log(event.delta),
};

const question = { role: "user", id: "q1", content: "A table for four, please" } as const;
const asked = await runTurn({ ...base, turnId: "t1", messages: [question] });
console.log(asked.finishReason, asked.pending); // nothing runs, nothing is held

const approved = asked.open?.map((call): OpenCall => ({
  toolCallId: call.toolCallId,
  state: "approved",
}));
const messages = [question, ...asked.messages];
const prior = asked.progress;
const done = await runTurn({
  ...base,
  turnId: "t2",
  messages,
  journal: { prior, open: approved ?? [] },
});
console.log(done.finishReason);
