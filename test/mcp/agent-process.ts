/**
 * An agent on SQLite with one MCP server, as a process. `begin TOOL` sends the first message, `answer TEXT` answers what is pending, and
 * `work` runs a host. Each prints the state of the session as a line of JSON when something has changed, and stays until it is killed.
 */
import { createAgent, createHost } from "@capstan/core";
import { mcpTools } from "@capstan/mcp";
import { sqlite } from "@capstan/stores/sqlite";
import { callTool, say, scriptedProvider } from "@capstan/testing";

const [database = "", url = "", command = "", word = ""] = process.argv.slice(2);

const mcp = mcpTools({
  servers: { own: { url } },
  liveTaskMs: 0,
  onError: (error) => console.error(error.message),
});
const call = callTool(`own__${word}`, word === "pay" ? { amount: 5 } : {});
const model = scriptedProvider(command === "begin" ? [call, say("Done")] : [say("Done")]);
const host = createHost({
  agents: [createAgent({ model, toolSources: [mcp] })],
  repository: sqlite(database),
});
const session = await host.session("s", { agent: "agent" });
session.subscribe(show);
if (command === "begin") await session.send("Go").response;
if (command === "answer") {
  const [pending] = session.pendingToolCalls;
  await session.send([{ toolCallId: pending?.toolCallId ?? "", output: word }]).response;
}
show();
await host.run({ signal: new AbortController().signal });

function show(): void {
  const { pendingToolCalls, messages, status } = session;
  const result = messages.findLast(({ role }) => role === "tool");
  console.log(
    JSON.stringify({
      status,
      pending: pendingToolCalls.map(({ input }) => input),
      result: result?.role === "tool" ? result.content : null,
    }),
  );
}
