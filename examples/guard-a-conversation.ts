import { createAgent, createSession } from "@capstan/core";
import { say, scriptedProvider } from "@capstan/testing";

const model = scriptedProvider([say("Your card is 4111 1111 1111 1111."), say("It ends in 1111.")]);
const agent = createAgent({
  model,
  guards: {
    // A string ends the turn with this reason; nothing lets the message pass.
    input: ({ text }) => (/password/i.test(text) ? "Never tell anyone a password." : undefined),
    output: {
      name: "no_card_numbers",
      // With `retry` the model is asked once more. A guard may be async, and ask a model of its own.
      check: ({ text }) =>
        /(\d{4} ?){4}/.test(text) ? { reason: "It shows a card number.", retry: true } : undefined,
    },
  },
});
const session = createSession({ agent });

const refused = await session.send("My password is hunter2").response;
console.log(refused.error?.code, refused.error?.message); // → input_rejected Never tell anyone a password.
console.log(model.requests.length); // → 0

let shown = "";
for await (const event of session.send("Which card do you have?")) {
  if (event.type === "text_delta") shown += event.delta;
}
console.log(shown); // → It ends in 1111.
const asked = JSON.stringify(model.requests[1]?.messages);
console.log(asked.includes("hunter2"), asked.includes("4111")); // → false false
