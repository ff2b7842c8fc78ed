/** Answers as values: an object, and an array. */
import { createAgent, createSession } from "@capstan/core";
import { openai } from "@capstan/providers/openai";
import { say } from "@capstan/testing";
import { openAiResponsesEmulator } from "@capstan/testing/emulators";
import { z } from "zod";

// In place of OpenAI, which needs a key. It refuses what OpenAI refuses.
const service = await openAiResponsesEmulator([
  say('{ "city": "Oslo", "days": 3 }'),
  say('{ "answer": [2, 3, 5] }'), // OpenAI has objects only: an array is wrapped for it
]);
const model = openai("gpt-5.5", { baseUrl: service.url, apiKey: "any" });

const Trip = z.object({ city: z.string(), days: z.int().min(1) });
const planner = createAgent({ model, output: Trip });
const trip = await createSession({ agent: planner }).send("Three days in Oslo").response;
console.log(trip.status, trip.output === undefined ? "nothing" : trip.output.days * 24);

const lister = createAgent({
  model,
  output: z.array(z.number()),
  instructions: "You list primes.",
});
const primes = await lister.runTurn({ input: "The first three primes" }).response;
console.log(
  primes.status,
  primes.output?.reduce((sum, prime) => sum + prime, 0),
);

for (const { body } of service.requests) console.log(JSON.stringify(body));
await service.close();
