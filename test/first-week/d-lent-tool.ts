/** A server, a client that lends it a tool, and a network between them that fails for a second. */
import { connect as dial, createServer as listen } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { connect, lendTool } from "@capstan/client";
import { createAgent, createHost } from "@capstan/core";
import { memoryRepository } from "@capstan/log";
import { bearerTokens, createServer } from "@capstan/server";
import { serveNode } from "@capstan/server/node";
import { callTool, reply, say, scriptedProvider, wait } from "@capstan/testing";
import { z } from "zod";

const cut = Promise.withResolvers<void>();
const model = scriptedProvider([
  reply(say("Which file? "), wait(cut.promise), callTool("pick_file", { type: "pdf" })),
  reply(say(["It ", "is ", "a "]), wait(sleep(50)), say("bill.")),
]);
const host = createHost({
  agents: [createAgent({ name: "helper", model })],
  repository: memoryRepository(),
});
const token = "a-token-of-ann-0123456789";
const server = createServer({ host, authenticate: bearerTokens({ ann: token }) });
const served = await serveNode(server, { port: 0 });

// The network: every connection to the server goes through it.
const sockets = new Set<Socket>();
let isDown = false;
let refused = 0;
const network = listen((socket) => {
  if (isDown) {
    refused += 1;
    socket.destroy();
    return;
  }
  const beyond = dial(Number(new URL(served.url).port), "127.0.0.1");
  for (const end of [socket, beyond]) {
    sockets.add(end);
    end.on("error", () => end.destroy()).on("close", () => sockets.delete(end));
  }
  socket.pipe(beyond).pipe(socket);
}).listen(0, "127.0.0.1");
await once(network, "listening");

const pickFile = lendTool({
  name: "pick_file",
  description: "Lets the user pick a file",
  input: z.object({ type: z.enum(["pdf", "png"]) }),
  execute: ({ type }) => {
    console.log("picking a file");
    return `bill.${type}`;
  },
});
const { port } = network.address() as AddressInfo;
const client = connect({ url: `http://127.0.0.1:${port}`, token, tools: [pickFile] });
const turn = client.session("my-chat").send("What is this?");

for await (const event of turn) {
  if (event.type === "text_delta") console.log(JSON.stringify(event.delta));
  if (event.type === "tool_execution_end") console.log("picked", event.output);
  if (event.type === "text_delta" && event.delta === "Which file? ") {
    isDown = true;
    for (const socket of sockets) socket.destroy();
    cut.resolve();
    setTimeout(() => (isDown = false), 1_000);
  }
}
const { status, text } = await turn.response;
console.log(status, text);
console.log(refused > 0 ? "connections were refused" : "the network never failed");

client.close();
network.close();
await served.close();
