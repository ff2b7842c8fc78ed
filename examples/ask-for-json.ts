import { createAgent, createSession } from "@capstan/core";
import { say, scriptedProvider } from "@capstan/testing";
import { z } from "zod";

const Trip = z.object({ city: z.string(), days: z.int().min(1) });
const model = scriptedProvider([
  say('{ "city": "Oslo", "days": 0 }'),
  say('{ "city": "Oslo", "days": 3 }'),
]);
const session = createSession({ agent: createAgent({ model, output: Trip }) });

const { status, output } = await session.send("Three days in Oslo, as JSON").response;
console.log(status, output); // → completed { city: 'Oslo', days: 3 }
console.log(output === undefined ? 0 : output.days * 24); // → 72

const repair = session.messages.find(
  (message) => message.role === "user" && message.source === "repair",
);
console.log(repair); // the first answer was wrong, and the model was told so, once
