import { createAgent, createSession, defineTool } from "@capstan/core";
import { callTool, say, scriptedProvider } from "@capstan/testing";

const started = Promise.withResolvers<void>();
const go = Promise.withResolvers<string>();
const search = defineTool({
  name: "search",
  description: "Searches for places",
  input: { type: "object", properties: {} },
  effect: "pure",
  async execute() {
    started.resolve();
    return go.promise;
  },
});
const script = [callTool("search"), say("The museum, then."), say("At ten. It is free.")];
const agent = createAgent({ model: scriptedProvider(script), tools: [search] });
const session = createSession({ agent });

const turn = session.send("What should I see?");
await started.promise;
const steering = await session.steer("Only indoors, please"); // it is in the log, and will not be lost
const followUp = await session.followUp("When does it open?");
await session.followUp("And what does it cost?");
await session.configure({ followUpMode: "all" }); // those that wait are one turn, not one each
console.log(session.queued.map(({ queue }) => queue).join(" ")); // → steering followUp followUp
go.resolve("a park, a museum");

console.log((await turn.response).text); // → The museum, then.
console.log((await steering.outcome).type); // → delivered
console.log(await followUp.outcome); // in a turn of its own, which has the id of the message
await session.waitForIdle();
console.log(session.messages.map(({ role }) => role).join(" ")); // → user assistant tool user assistant user user assistant
