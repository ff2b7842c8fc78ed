import { createAgent, createSession, defineTool, dependency, override } from "@capstan/core";
import { callTool, say, scriptedProvider } from "@capstan/testing";
import { z } from "zod";

const Address = dependency("address", () => "db.example.org");
const Rooms = dependency("rooms", async (get) => connect(await get(Address)), {
  dispose: (rooms) => rooms.close(), // at the end of the turn; with scope "session", of the session
});
const seats = defineTool({
  name: "seats",
  description: "How many seats a room has",
  input: z.object({ room: z.string() }),
  effect: "pure",
  execute: async ({ room }, { get }) => `${(await get(Rooms)).seats(room)} seats`,
});
const script = [
  callTool("seats", { room: "blue" }),
  callTool("seats", { room: "red" }),
  say("Blue."),
];
const agent = createAgent({ model: scriptedProvider(script), tools: [seats] });

console.log(await createSession({ agent }).run("Which room is larger?")); // → Blue.

const fake = { seats: () => 99, close: () => {} };
const underTest = agent.with({
  model: scriptedProvider(script),
  dependencies: [override(Rooms, () => fake)],
});
const { messages } = await underTest.runTurn({ input: "Which room is larger?" }).response;
console.log(messages[1]); // → content: '99 seats',

async function connect(address: string): Promise<{ seats(room: string): number; close(): void }> {
  console.log("connected to", address); // → connected to db.example.org
  return { seats: (room) => room.length, close: () => console.log("closed") };
}
