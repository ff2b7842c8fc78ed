import { createAgent, createHost, memoryRepository } from "@capstan/core";
import { bearerTokens, createServer } from "@capstan/server";
import { serveNode } from "@capstan/server/node";
import { callTool, say, scriptedProvider } from "@capstan/testing";

const model = scriptedProvider([callTool("pick_file", { type: "pdf" }), say("It is a bill.")]);
const agent = createAgent({ name: "helper", model });
const host = createHost({ agents: [agent], repository: memoryRepository() });
const token = crypto.randomUUID(); // from the environment, where it should last
const server = createServer({ host, authenticate: bearerTokens({ ann: token }) });
const { url, close } = await serveNode(server, { port: 0 }); // elsewhere: server.fetch(request)

// A client. Any will do: this one has fetch, and lends a tool that only it can run.
const send = (path: string, body: object): Promise<Response> =>
  fetch(`${url}/api/agent/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
const eventsOf = async (response: Response) =>
  (await response.text()).match(/^data: .*/gm)?.map((line) => JSON.parse(line.slice(6))) ?? [];
const inputSchema = { type: "object", properties: { type: { type: "string" } } };
const pickFile = { name: "pick_file", description: "Lets the user pick a file", inputSchema };

const execute = { sessionId: "my-chat", client: "tab-1", context: { tools: [pickFile] } };
const first = await eventsOf(await send("execute", { ...execute, input: "What is this?" }));
const { status, pendingToolCalls } = first.at(-1);
console.log(status, pendingToolCalls[0].input); // → awaiting_tool_execution { type: 'pdf' }

const { toolCallId } = pendingToolCalls[0];
const claim = await send("session/my-chat/claims", { toolCallId, client: "tab-1" });
console.log(claim.status); // → 200
const other = await send("session/my-chat/claims", { toolCallId, client: "tab-2" });
console.log(JSON.parse(await other.text()).error.code); // → already_claimed

const input = [{ toolCallId, output: "bill.pdf" }];
const rest = await eventsOf(await send("execute", { sessionId: "my-chat", input }));
console.log(rest.findLast(({ type }) => type === "text_delta").delta); // → It is a bill.
await close(); // readers are told to connect elsewhere, and turns under way are handed over
