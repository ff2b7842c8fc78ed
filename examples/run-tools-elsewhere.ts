import { createAgent, createSession, defineTool, execute } from "@capstan/core";
import type { CallAnswer, PendingCall, SendInput, Turn } from "@capstan/core";
import { callTool, reply, say, scriptedProvider } from "@capstan/testing";

const input = { type: "object", properties: {} } as const;
const time = defineTool({ name: "time", description: "The time", input, execute: () => "noon" });
// Without `execute` a tool is remote. What a client sends is so by itself: JSON has no functions.
const pickFile = defineTool({ name: "pickFile", description: "Lets the user pick a file", input });
const readPage = defineTool({ name: "readPage", description: "The text of the page", input });

const model = scriptedProvider([
  reply(callTool("time"), callTool("pickFile")),
  callTool("readPage"),
  say("Your notes say hello, too."),
]);
const session = createSession({
  id: "session-123",
  agent: createAgent({ model, tools: [time] }),
  history: [{ role: "user", id: "m1", content: "My name is Ada." }],
  config: { tools: [time, pickFile, readPage] }, // the last two are lent: the log has their declarations
});

let next: SendInput = { role: "user", content: "Compare my notes with this page" };
for (;;) {
  const stream: Turn = execute(session, next);
  for await (const event of stream) {
    if (event.type === "awaiting_tool_execution") console.log(event.pending[0]?.toolName); // → pickFile
  }
  const result = await stream.result();
  console.log(result.status, result.text); // → completed Your notes say hello, too.
  if (result.status !== "awaiting_tool_execution") break;
  next = (result.pendingToolCalls ?? []).map(runHere); // hours later, in another process, if need be
}

function runHere({ toolCallId, toolName }: PendingCall): CallAnswer {
  const outputs: Record<string, string> = { pickFile: "notes.txt: hello", readPage: "hello" };
  const output = outputs[toolName];
  if (output !== undefined) return { toolCallId, output };
  return { toolCallId, isError: true, output: `There is no ${toolName} here` };
}
