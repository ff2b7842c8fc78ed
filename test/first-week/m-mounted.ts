/** One server in an app of Hono, in an app of Express and in a route of Next.js, for pages whose user is signed in by a cookie. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect } from "@capstan/client";
import { createAgent, createHost } from "@capstan/core";
import { memoryRepository } from "@capstan/log";
import { createServer } from "@capstan/server";
import { toNodeHandler } from "@capstan/server/node";
import { say, scriptedProvider } from "@capstan/testing";
import express from "express";
import { Hono } from "hono";

const model = scriptedProvider([say("Hello, Hono"), say("Hello, Express"), say("Hello, Next")]);
const agent = createAgent({ name: "helper", model });
const host = createHost({ agents: [agent], repository: memoryRepository() });
const server = createServer({
  host,
  basePath: "/agents",
  allowedHosts: ["app.example", "127.0.0.1"],
  authenticate: ({ headers }) =>
    headers.get("cookie") === "sid=1" ? { principal: "ann" } : undefined,
});

/** A page of the app: the browser adds the cookie. */
async function visit(origin: string, send: (request: Request) => Response | Promise<Response>) {
  const client = connect({
    url: `${origin}/agents`,
    fetch: async (url, init) => {
      const request = new Request(url, init);
      request.headers.set("cookie", "sid=1");
      return send(request);
    },
  });
  const { status, text } = await client.session("chat").send("Hi").response;
  console.log(status, text);
  client.close();
}

const hono = new Hono();
hono.mount("/agents", server.fetch);
await visit("https://app.example", (request) => hono.fetch(request));

const app = express();
app.use(express.json());
app.use("/agents", toNodeHandler(server));
const http = app.listen(0, "127.0.0.1");
await once(http, "listening");
await visit(`http://127.0.0.1:${(http.address() as AddressInfo).port}`, fetch);

const route = { GET: server.fetch, POST: server.fetch };
await visit("https://app.example", (request) => route[request.method as "GET" | "POST"](request));

const foreign = await server.fetch(
  new Request("https://app.example/agents/api/agent/execute", {
    method: "POST",
    headers: {
      cookie: "sid=1",
      origin: "https://evil.example",
      "content-type": "application/json",
    },
    body: JSON.stringify({ input: "Hi" }),
  }),
);
console.log(foreign.status);

http.close();
await server.close();
http.closeAllConnections();
