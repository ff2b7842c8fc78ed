import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent } from "@capstan/core";
import { callTool, say, scriptedProvider } from "@capstan/testing";
import { createToolset, todosOf } from "@capstan/toolset";

const cwd = await mkdtemp(join(tmpdir(), "capstan-example-"));
const model = scriptedProvider([
  callTool("write_todos", { todos: [{ content: "Add a greeting", status: "in_progress" }] }),
  callTool("write", { path: "src/hello.ts", content: 'console.log("Hello");\n' }),
  callTool("edit", { path: "src/hello.ts", edits: [{ old: "Hello", new: "Ahoy" }] }),
  callTool("grep", { pattern: "ahoy", ignoreCase: true }),
  callTool("bash", { command: "wc -l < src/hello.ts" }),
  callTool("read", { path: "../secret.txt" }), // refused: it is not in the folder
  callTool("write_todos", { todos: [{ content: "Add a greeting", status: "completed" }] }),
  say("There is a greeting now."),
]);
const agent = createAgent({ model, tools: createToolset({ cwd }) });

const { messages } = await agent.runTurn({ input: "Add a greeting" }).response;
for (const message of messages) if (message.role === "tool") console.log(message.content);
// → Created src/hello.ts (1 line).
// → Replaced 1 passage in src/hello.ts.
// → src/hello.ts:1: console.log("Ahoy");
// → ../secret.txt is outside the working folder. Only paths inside it can be used; "." is the folder itself.
console.log(todosOf(messages)); // → [ { content: 'Add a greeting', status: 'completed' } ]
console.log(await readFile(join(cwd, "src/hello.ts"), "utf8")); // → console.log("Ahoy");
await rm(cwd, { recursive: true });
