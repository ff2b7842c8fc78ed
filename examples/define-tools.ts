import { createAgent, defineTool, fail, ok } from "@capstan/core";
import { callTool, reply, say, scriptedProvider } from "@capstan/testing";
import { z } from "zod";

const book = defineTool({
  name: "book",
  description: "Books a room",
  input: z.object({ room: z.string(), people: z.int().min(1), hours: z.number().default(1) }),
  effect: "idempotent", // after a crash it may run again: the key tells the second run from a new one
  async execute({ room, people, hours }, { idempotencyKey }) {
    if (people > 4) return fail(`"${room}" has 4 seats only`, { seats: 4 });
    return ok(`Booked "${room}" for ${hours} h`, { isSafeToRepeat: idempotencyKey !== "" }); // details are for people
  },
});
const plan = defineTool({
  name: "plan",
  description: "The plan of a floor",
  input: { type: "object", properties: { floor: { type: "integer" } }, required: ["floor"] },
  effect: "pure",
  execute: ({ floor }) => [
    { type: "text", text: `Floor ${JSON.stringify(floor)}` },
    { type: "image", mediaType: "image/gif", data: "R0lGODlhAQABAAAAACw=" },
  ],
});
const rules = defineTool({
  name: "rules",
  description: "The house rules",
  input: z.object({}),
  effect: "pure",
  execute: () => ({ "7": "No soup." }), // any JSON
});

const calls = reply(
  callTool("book", { room: "blue", people: 3 }),
  callTool("book", { room: "blue", people: 30 }),
  callTool("book", { room: "blue" }), // refused by the schema: the tool does not run
  callTool("plan", { floor: 2 }),
  callTool("rules", {}),
);
const model = scriptedProvider([calls, say("The blue room is yours.")]);
const agent = createAgent({ model, tools: [book, plan, rules] });
const { messages } = await agent.runTurn({ input: "A room for three, please" }).response;
for (const message of messages) {
  if (message.role === "tool") console.log(message.content, message.details ?? ""); // → Booked "blue" for 1 h { isSafeToRepeat: true }
}
