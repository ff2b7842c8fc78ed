import { createAgent, createSession } from "@capstan/core";
import { say, scriptedProvider } from "@capstan/testing";
import { z } from "zod";

const Trip = z.object({ city: z.string(), stops: z.array(z.string()) });
const model = scriptedProvider([
  say(['{ "city": "Oslo", ', '"stops": ["Opera', '", "Fjord"] }']), // as it comes, in three pieces
]);
const session = createSession({ agent: createAgent({ model, output: Trip }) });

const turn = session.send("A day in Oslo, as JSON");
for await (const { city, stops = [] } of turn.partialOutput) {
  console.log(`${city ?? "…"}: ${stops.join(", ")}`); // a line for each value, such as "Oslo: Opera"
}

const { output } = await turn.response; // checked, and complete
console.log(output?.stops); // → [ 'Opera', 'Fjord' ]
console.log((await agentAnswer()).city); // → Rome

/** `run` gives the checked value only. */
async function agentAnswer(): Promise<z.infer<typeof Trip>> {
  const rome = scriptedProvider([say('{ "city": "Rome", "stops": [] }')]);
  return createAgent({ model: rome, output: Trip }).run("A day in Rome, as JSON");
}
