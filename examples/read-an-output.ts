import { createAgent, createSession, defineTool } from "@capstan/core";
import { callTool, say, scriptedProvider } from "@capstan/testing";

const lines = Array.from({ length: 3_000 }, (_, n) => `${n + 1} ${n === 1_999 ? "ERROR" : "ok"}`);
const log = defineTool({
  name: "log",
  description: "The log of the build",
  input: { type: "object" },
  effect: "pure",
  execute: () => lines.join("\n"),
});

// The model gets the beginning and the end, and with the tool read_output what it wants of the rest.
const model = scriptedProvider([
  callTool("log"),
  callTool("read_output", { reference: "t1_1_0", text: "ERROR" }),
  say("Step 2000 failed."),
]);
const agent = createAgent({ model, tools: [log], outputs: { maxChars: 1_000 } });
const session = createSession({ agent });
const { messages } = await session.send("Why did it fail?", { id: "t1" }).response;

const results = messages.filter((message) => message.role === "tool");
const [shown = "", found = ""] = results.map(({ content }) => JSON.stringify(content));
console.log(shown.length < 1_200); // → true
console.log(/\d[\d,]+ of [\d,]+ characters are left out/.exec(shown)?.[0]); // → 22,303 of 22,895 characters are left out
console.log(/2000: .*ERROR/.exec(found)?.[0]); // → 2000: 2000 ERROR

// The session keeps all of it, for programs as well.
const whole = await session.readOutput("t1_1_0");
console.log(whole === lines.join("\n")); // → true
console.log(session.getUsage().cacheStability.session !== undefined); // → true
await session.close();
