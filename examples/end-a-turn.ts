import { createAgent, doneTool } from "@capstan/core";
import { callTool, echoTool, say, scriptedProvider } from "@capstan/testing";

const script = [
  callTool("echo", { n: 1 }),
  callTool("echo", { n: 2 }),
  say("I called echo twice."),
];
const agent = createAgent({ model: scriptedProvider(script), tools: [echoTool()] });
const input = "Call echo until I am happy";

const whole = await agent.runTurn({ input }).response; // it ends when the model calls no more tools
console.log(whole.finishReason, whole.messages.length); // → stop 5

const stopping = agent.with({
  model: scriptedProvider(script),
  stopWhen: ({ steps }) => steps === 1,
});
const stopped = await stopping.runTurn({ input }).response;
console.log(stopped.finishReason, stopped.messages.length); // → stop 2

const limited = agent.with({ model: scriptedProvider(script), maxSteps: 2 }); // then one more without tools, for a report
const { finishReason, text, messages } = await limited.runTurn({ input }).response;
console.log(finishReason, text); // → max-steps I called echo twice.
console.log(messages.find((message) => message.role === "user")); // what the model was asked for it

const frugal = agent.with({
  model: scriptedProvider(script),
  budgets: { steps: 1, tokens: 10_000, timeMs: 60_000 },
});
console.log((await frugal.runTurn({ input }).response).finishReason); // → budget-exceeded

const done = callTool("done", { message: "Nothing is left to do." });
const finishing = agent.with({ model: scriptedProvider([done]), tools: [doneTool()] });
const finished = await finishing.runTurn({ input }).response;
console.log(finished.finishReason, finished.messages.at(-1)); // the report is the result of the call
