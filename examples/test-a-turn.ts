import { assertValidEvents, assertValidTranscript, callTool, echoTool } from "@capstan/testing";
import { reply, runToEnd, say, scriptedProvider } from "@capstan/testing";

const provider = scriptedProvider([
  reply(say("Let me see."), callTool("echo", { x: 1 })),
  say("Done."),
]);
const turn = await runToEnd({ provider, tools: [echoTool()] });

console.log(turn.transcript.map((message) => message.role).join(" ")); // user assistant tool assistant
console.log(turn.recorder.text()); // Let me see.Done.
assertValidTranscript(turn.transcript);
assertValidEvents(turn.events);
provider.assertComplete();
