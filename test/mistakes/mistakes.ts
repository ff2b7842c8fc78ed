/** Mistakes that people make in their first programs. The compiler must find each, and say so briefly. */

/** Names that the mistakes use. */
export const prelude = `
import { agentTool, createAgent, createHost, createSession, defineTool, dependency, memoryRepository, ok, override } from "@capstan/core";
import { anthropic } from "@capstan/providers/anthropic";
import { scriptedProvider } from "@capstan/testing";
import { z } from "zod";
const model = scriptedProvider([]);
const repository = memoryRepository();
const base = { description: "Refunds", input: z.object({ amount: z.number() }) };
const refund = defineTool({ ...base, name: "refund", execute: ({ amount }) => ok("done", { amount }) });
const look = defineTool({ ...base, name: "look", appContext: z.object({ tenant: z.string() }), execute: () => "seen" });
const output = z.object({ city: z.string(), days: z.number() });
const support = createAgent({ name: "support", model, tools: [refund], output });
const billing = createAgent({ name: "billing", model, appContext: z.object({ tenant: z.string() }) });
const plain = createAgent({ model });
const session = createSession({ agent: support });
const host = createHost({ agents: [support, billing], repository });
const Db = dependency("db", () => ({ query: (sql: string) => [sql] }));
export { agentTool, anthropic, Db, host, look, override, plain, session };
`;

/** One line each, by what is wrong with it. */
export const mistakes: Readonly<Record<string, string>> = {
  "an option of an agent is misspelled": `createAgent({ model, tool: [refund] });`,
  "an agent has no model": `createAgent({ tools: [refund] });`,
  "a level of thinking is misspelled": `createAgent({ model, thinkingLevel: "hihg" });`,
  "a budget is misspelled": `createAgent({ model, budgets: { step: 3 } });`,
  "a schema of the output is no schema": `createAgent({ model, output: { city: "string" } });`,
  "a tool needs an app context that the agent has not": `createAgent({ model, tools: [look] });`,
  "a tool has no description": `defineTool({ name: "odd", input: z.object({}) });`,
  "an input is a list of fields": `defineTool({ name: "odd", description: "Odd", input: { city: z.string() } });`,
  "an effect is misspelled": `defineTool({ ...base, name: "odd", effect: "idempotant" });`,
  "a field of the input is misspelled": `defineTool({ ...base, name: "odd", execute: ({ amuont }) => String(amuont) });`,
  "a field of the input has another type": `defineTool({ ...base, name: "odd", execute: ({ amount }) => amount.trim() });`,
  "a result is no value that a model can read": `defineTool({ ...base, name: "odd", execute: () => Symbol("odd") });`,
  "a test passes another input to execute": `refund.execute({ amount: "5" }, {} as never);`,
  "a dependency is replaced by another type": `override(Db, () => ({ ask: () => [] }));`,
  "an event type is misspelled": `for await (const event of session.send("Hi")) if (event.type === "text_detla") break;`,
  "a field is read from every event": `for await (const event of session.send("Hi")) console.log(event.delta);`,
  "the name of a tool is misspelled": `for await (const event of session.send("Hi")) if (event.type === "tool_execution_start" && event.toolName === "refnud") break;`,
  "a field of a call is misspelled": `for await (const event of session.send("Hi")) if (event.type === "tool_execution_start" && event.toolName === "refund") event.input.amuont;`,
  "the tool of a pending call is misspelled": `if (session.pendingToolCalls[0]?.toolName === "refnud") console.log("?");`,
  "a turn is read without await": `for (const event of session.send("Hi")) console.log(event);`,
  "a response is not awaited": `const { text } = session.send("Hi").response; console.log(text);`,
  "a reply is not awaited": `const reply: string = plain.run("Hi"); console.log(reply);`,
  "a typed answer is taken for a text": `const text: string = await support.run("Hi"); console.log(text);`,
  "a typed answer may be missing": `console.log((await session.send("Hi").response).output.city);`,
  "an agent without a schema has no output": `const { output: none } = await plain.runStream("Hi").response; console.log(none.city);`,
  "a partial answer may lack a field": `for await (const partial of session.send("Hi").partialOutput) console.log(partial.city.length);`,
  "the name of an agent is misspelled": `host.createSession({ agent: "suport" });`,
  "an app context is missing": `host.createSession({ agent: "billing" });`,
  "an app context has another type": `host.createSession({ agent: "billing", app: { tenant: 7 } });`,
  "a session has no app context": `createSession({ agent: billing });`,
  "an option of a send is misspelled": `session.send("Hi", { signall: AbortSignal.timeout(5) });`,
  "a tool choice names no tool": `session.send("Hi", { toolChoice: { tool: "refnud" } });`,
  "a setting names no tool": `await session.configure({ tools: ["refnud"] });`,
  "an answer has a wrong field": `session.send([{ toolCallId: "c1", result: "done" }]);`,
  "a host has no repository": `createHost({ agents: [support] });`,
  "a host gets options in place of an agent": `createHost({ agents: [{ model }], repository });`,
  "a key is no text": `anthropic("claude-opus-5", { apiKey: 7 });`,
  "an agent as a tool has no description": `agentTool(support, { name: "helper" });`,
};

/** Likewise, but the compiler lists the kinds of results first. */
export const longer: Readonly<Record<string, string>> = {
  "a result has a misspelled field": `defineTool({ ...base, name: "odd", execute: () => ({ ok: true, outputMesage: "m", details: 1 }) });`,
  "a stream yields numbers": `defineTool({ ...base, name: "odd", async *execute() { yield 3; } });`,
};
