import { connect, lendTool } from "@capstan/client";
import { createAgent, createHost, memoryRepository } from "@capstan/core";
import { bearerTokens, createServer } from "@capstan/server";
import { serveNode } from "@capstan/server/node";
import { callTool, say, scriptedProvider } from "@capstan/testing";
import { z } from "zod";

// A server. It knows nothing of files.
const model = scriptedProvider([callTool("pick_file", { type: "pdf" }), say("It is a bill.")]);
const agent = createAgent({ name: "helper", model });
const host = createHost({ agents: [agent], repository: memoryRepository() });
const token = crypto.randomUUID();
const server = createServer({ host, authenticate: bearerTokens({ ann: token }) });
const { url, close } = await serveNode(server, { port: 0 });

// A client, as in a page: the same send and the same turn as in process, and a tool that only it can run.
const pickFile = lendTool({
  name: "pick_file",
  description: "Lets the user pick a file",
  input: z.object({ type: z.enum(["pdf", "png"]) }),
  execute: ({ type }) => `bill.${type}`,
});
const client = connect({ url, token, tools: [pickFile] });
const session = client.session("my-chat");

const turn = session.send("What is this?");
for await (const event of turn) {
  if (event.type === "tool_execution_end") console.log("picked", event.output); // → picked bill.pdf
  if (event.type === "text_delta") console.log(event.delta); // → It is a bill.
}
console.log((await turn.response).status); // → completed
console.log(session.state.messages.map(({ role }) => role).join(" ")); // → user assistant tool assistant

client.close();
await close();
