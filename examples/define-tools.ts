import { bindTools, createScope, defineTool, dependency, fail, ok } from "@capstan/core";
import { runTurn } from "@capstan/kernel";
import { callTool, reply, say, scriptedProvider } from "@capstan/testing";
import { z } from "zod";

const Rooms = dependency("rooms", async () => new Map([["blue", 4]]), {
  dispose: () => console.log("closed"),
});
const book = defineTool({
  name: "book",
  description: "Books a room",
  input: z.object({ room: z.string(), people: z.int().min(1), hours: z.number().default(1) }),
  effect: "idempotent", // after a crash it may run again: the key tells the second run from a new one
  async execute({ room, people, hours }, { get, idempotencyKey }) {
    const seats = (await get(Rooms)).get(room);
    if (seats === undefined) return fail(`There is no room "${room}"`);
    if (seats < people) return fail(`"${room}" has ${seats} seats only`, { seats });
    return ok(`Booked "${room}" for ${hours} h`, { booking: idempotencyKey.slice(0, 8) });
  },
});
const search = defineTool({
  name: "search",
  description: "Searches the house rules",
  input: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
  effect: "pure",
  async *execute({ query }) {
    yield { type: "delta", delta: `Looking for ${JSON.stringify(query)} …` }; // for whoever watches
    yield { type: "complete", output: "Rule 7: no soup." }; // for the model
  },
});

await using scope = createScope();
const calls = reply(callTool("book", { room: "blue", people: 3 }), callTool("search", {}));
const { messages } = await runTurn({
  provider: scriptedProvider([calls, say("The blue room is yours.")]),
  tools: bindTools([book, search], scope),
  dispatch: {},
  conversationId: "demo",
  turnId: "t1",
  messages: [{ role: "user", id: "q1", content: "A room for three, please" }],
  emit: () => {},
});
for (const message of messages) {
  if (message.role === "tool") console.log(message.toolName, message.content, message.details);
}
