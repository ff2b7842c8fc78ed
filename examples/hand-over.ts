import { createAgent, createHost, handoff } from "@capstan/core";
import { memoryRepository } from "@capstan/log";
import { callTool, say, scriptedProvider } from "@capstan/testing";

// Agents that hand over to each other name one another.
const billing = createAgent({
  name: "billing",
  instructions: "You handle money.",
  model: scriptedProvider([say("I pay you back."), callTool("hand_off_to_triage", {})]),
  tools: [handoff("triage", { description: "Everything that is not about money" })],
});
const triage = createAgent({
  name: "triage",
  instructions: "You find out who can help.",
  model: scriptedProvider([callTool("hand_off_to_billing", {}), say("We open at nine.")]),
  tools: [
    handoff(billing, {
      description: "Questions about money",
      filter: (messages) => messages.filter(({ role }) => role === "user"), // billing is shown no more
    }),
  ],
});
const host = createHost({ agents: [triage], repository: memoryRepository() });
const session = host.createSession({ agent: "triage" });

console.log(await session.run("I want my money back"), session.agent); // → I pay you back. billing
console.log(await session.run("When do you open?"), session.agent); // → We open at nine. triage
await host.close();
