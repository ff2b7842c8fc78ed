import { connect } from "@capstan/client";
import { createAgent, createHost, memoryRepository } from "@capstan/core";
import { bearerTokens, createServer } from "@capstan/server";
import { serveNode } from "@capstan/server/node";
import { say, scriptedProvider } from "@capstan/testing";

// The server: sessions of an agent over HTTP.
const agent = createAgent({ name: "helper", model: scriptedProvider([say("Hello, Ann.")]) });
const host = createHost({ agents: [agent], repository: memoryRepository() });
const token = crypto.randomUUID();
const server = createServer({ host, authenticate: bearerTokens({ ann: token }) });
const { url, close } = await serveNode(server, { port: 0 }); // elsewhere: server.fetch(request)

// The client, in a browser or in Node: the same send as in process.
const client = connect({ url, token });
const turn = client.session("my-chat").send("Hello");
for await (const event of turn) if (event.type === "text_delta") console.log(event.delta); // → Hello, Ann.

client.close();
await close();
