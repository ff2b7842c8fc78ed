import { createSession } from "@capstan/core";
import { createAssistant } from "./agent.ts";

const question = process.argv.slice(2).join(" ") || "What should I wear in Oslo today?";
const session = createSession({ agent: createAssistant() });

const turn = session.send(question);
for await (const event of turn) {
  if (event.type === "text_delta") process.stdout.write(event.delta);
}
const { error } = await turn.response;
if (error === undefined) {
  process.stdout.write("\n");
} else {
  console.error(`${error.code}: ${error.message}`);
  process.exitCode = 1;
}
