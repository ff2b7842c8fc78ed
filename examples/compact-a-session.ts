import { createAgent, createSession } from "@capstan/core";
import { reply, say, scriptedProvider, usage } from "@capstan/testing";

const story = "It was a dark and stormy night. ".repeat(100);
// A model in whose window 10,000 tokens fit, and what its provider counts of them.
const model = scriptedProvider(
  [
    reply(say(story), usage({ inputTokens: 8_900, outputTokens: 900 })),
    say("Ann asked for a story with a storm, and got one. Open: its end."), // the summary
    reply(say("And the sun rose."), usage({ inputTokens: 100, outputTokens: 20 })),
    say("Ann has her story, with a storm and a sunrise."), // another one
    say("You are welcome."),
  ],
  { contextWindow: 10_000 },
);
const agent = createAgent({
  model,
  compaction: { thresholdRatio: 0.8, summaryDirectives: "Keep the names." }, // on by default
});
const session = createSession({ agent });
await session.run("I am Ann. Tell me a story with a storm.");

for await (const event of session.send("How does it end?")) {
  if (event.type === "compaction_end") console.log(event.before, event.after < 1_000); // → 9809 true
}
console.log(model.requests[2]?.messages.map(({ role }) => role)); // → [ 'user', 'user' ]

// By hand, at any time: between two turns at once, or before the next request of the turn under way.
const { isCompacted, usage: used } = await session.compact({ directives: "One sentence." });
console.log(isCompacted, used); // → true { unreportedAttempts: 1 }
await session.run("Thank you!");
console.log(session.messages.length); // → 6
await session.close();
