/** The server inside other HTTP servers: under a path, after body parsers, and next to other middleware. */
import { once } from "node:events";
import type { RequestListener } from "node:http";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createAgent, createHost } from "@capstan/core";
import { memoryRepository } from "@capstan/log";
import type { Server, ServerOptions } from "@capstan/server";
import { bearerTokens, createServer } from "@capstan/server";
import { toNodeHandler } from "@capstan/server/node";
import type { ScriptItem } from "@capstan/testing";
import { reply, say, scriptedProvider, stall } from "@capstan/testing";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { describe, expect, onTestFinished, test } from "vitest";
import { StreamReader } from "./sse.ts";

const token = "ann-0123456789abcdef";
const execute = "/api/agent/execute";

function createMounted(
  options: Partial<ServerOptions> = {},
  script: readonly ScriptItem[] = [say("Hello from the agent")],
): Server {
  const agent = createAgent({ name: "helper", model: scriptedProvider([...script]) });
  const host = createHost({ agents: [agent], repository: memoryRepository() });
  const server = createServer({ host, authenticate: bearerTokens({ ann: token }), ...options });
  onTestFinished(() => server.close());
  return server;
}

/** Resolves with the URL. */
async function listen(listener: RequestListener): Promise<string> {
  const http = createHttpServer(listener).listen(0, "127.0.0.1");
  await once(http, "listening");
  onTestFinished(() => {
    http.close();
    http.closeAllConnections();
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}

const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };

function post(url: string, body: object = { input: "Hi" }): Promise<Response> {
  return fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
}

function get(server: Server, path: string): Promise<Response> {
  return server.fetch(new Request(`http://localhost${path}`, { headers }));
}

/** Status and the text of the agent. */
async function said(response: Response): Promise<string> {
  const text = await response.text();
  return `${response.status} ${/Hello from the agent/.exec(text)?.[0] ?? text}`;
}

const answered = "200 Hello from the agent";

describe("Express", () => {
  test.each([
    ["without a base path", undefined],
    ["with the base path that Express removes", "/agents"],
  ])("a handler under a path answers %s", async (_, basePath) => {
    const server = createMounted(basePath === undefined ? {} : { basePath });
    const url = await listen(express().use("/agents", toNodeHandler(server)));

    expect(await said(await post(`${url}/agents${execute}`))).toBe(answered);
  });

  test("a handler of routes, whose path stays as it is, needs the base path", async () => {
    const [server, other] = [createMounted({ basePath: "/agents" }), createMounted()];
    const app = express();
    app.all("/agents/*rest", toNodeHandler(server));
    app.all("/others/*rest", toNodeHandler(other));
    const url = await listen(app);

    const hint = await post(`${url}/others${execute}`);

    expect(await said(await post(`${url}/agents${execute}`))).toBe(answered);
    expect(hint.status).toBe(404);
    expect(await hint.text()).toContain('mounted under \\"/others\\", set `basePath`');
  });

  test.each([
    ["parsed JSON", express.json()],
    ["bytes", express.raw({ type: "application/json" })],
    ["text", express.text({ type: "application/json" })],
  ])("a body that a parser has read before, and left as %s, is used", async (_, parser) => {
    const app = express().use(parser).use("/agents", toNodeHandler(createMounted()));
    const url = await listen(app);

    const refused = await post(`${url}/agents${execute}`, { input: "Hi", unknown: 1 });

    expect(await said(await post(`${url}/agents${execute}`))).toBe(answered);
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain('"path":"unknown"');
  });

  test("a body that was read and is not there is an error that says what to do", async () => {
    const app = express();
    app.use((incoming, _response, next) => void incoming.resume().on("end", () => next()));
    app.use(toNodeHandler(createMounted()));
    const url = await listen(app);

    const response = await post(`${url}${execute}`);

    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({
      error: { code: "body_consumed", message: expect.stringContaining("before body parsers") },
    });
  });

  test("a middleware that replaces `write` sees the events", async () => {
    const seen: string[] = [];
    const app = express();
    app.use((_incoming, response, next) => {
      const write = response.write.bind(response) as (piece: string) => boolean;
      response.write = (piece: unknown) => {
        seen.push(String(piece));
        return write(String(piece).replaceAll("Hello", "HELLO"));
      };
      next();
    });
    app.use(toNodeHandler(createMounted()));
    const url = await listen(app);

    const response = await post(`${url}${execute}`);

    expect(await response.text()).toContain("HELLO from the agent");
    expect(seen.join("")).toContain("execute_complete");
    expect(response.headers.get("cache-control")).toContain("no-transform");
  });

  test("a client that leaves ends its stream, and not the turn", async () => {
    const model = scriptedProvider([reply(say("Half"), stall())]);
    const agent = createAgent({ name: "helper", model });
    const host = createHost({ agents: [agent], repository: memoryRepository() });
    const server = createServer({ host, authenticate: bearerTokens({ ann: token }) });
    onTestFinished(() => server.close());
    const url = await listen(express().use(toNodeHandler(server)));
    const metrics = async (): Promise<string> =>
      (await fetch(`${url}/metrics`, { headers })).text();
    const reader = new StreamReader(await post(`${url}${execute}`));
    await reader.until("text_delta");
    const before = await metrics();

    await reader.leave();

    expect(before).toContain("capstan_streams_open 1");
    await expect.poll(metrics).toContain("capstan_streams_open 0");
    expect(model.openStreams).toBe(1);
  });
});

describe("other frameworks", () => {
  test("Fastify, which has read the body", async () => {
    const handle = toNodeHandler(createMounted({ basePath: "/agents" }));
    const app = fastify();
    app.all("/agents/*", (request, answer) => {
      answer.hijack();
      handle(request.raw, answer.raw, request.body);
    });
    onTestFinished(() => app.close());
    const url = await app.listen({ port: 0, host: "127.0.0.1" });

    expect(await said(await post(`${url}/agents${execute}`))).toBe(answered);
    expect((await fetch(`${url}/agents/api/agent/sessions`, { headers })).status).toBe(200);
  });

  test("node:http, with other paths beside it", async () => {
    const handle = toNodeHandler(createMounted({ basePath: "/agents" }));
    const url = await listen((incoming, response) => {
      if (incoming.url?.startsWith("/agents/") === true) handle(incoming, response);
      else response.end("the rest of the app");
    });

    expect(await said(await post(`${url}/agents${execute}`))).toBe(answered);
    expect(await (await fetch(url)).text()).toBe("the rest of the app");
  });

  test("Hono, by a mount that removes the path and by a route that does not", async () => {
    const app = new Hono();
    app.mount("/mounted", createMounted({ basePath: "/mounted" }).fetch);
    const routed = createMounted({ basePath: "/routed" });
    app.all("/routed/*", (context) => routed.fetch(context.req.raw));
    const send = async (path: string): Promise<string> => {
      const init = { method: "POST", headers, body: JSON.stringify({ input: "Hi" }) };
      return said(await app.fetch(new Request(`http://localhost${path}${execute}`, init)));
    };

    expect(await send("/mounted")).toBe(answered);
    expect(await send("/routed")).toBe(answered);
  });
});

describe("the base path", () => {
  test("is in the description, and in what an unknown path is told", async () => {
    const server = createMounted({ basePath: "/v1/agents/" });

    const described = await get(server, "/v1/agents/openapi.json");
    const unknown = await get(server, "/v1/agents/nowhere");

    expect(await described.json()).toMatchObject({
      servers: [{ url: "/v1/agents" }],
      paths: { "/api/agent/execute": {} },
    });
    expect(unknown.status).toBe(404);
    expect(await unknown.text()).toContain('begin with \\"/v1/agents/\\"');
  });

  test("may be the beginning of the server's own paths", async () => {
    const server = createMounted({ basePath: "/api" });

    expect((await get(server, "/api/api/agent/sessions")).status).toBe(200);
    expect((await get(server, "/api/agent/sessions")).status).toBe(200);
    expect((await get(server, "/api/agent")).status).toBe(404);
  });

  test.each(["agents", "https://example.com/agents", "/a//b", "/a?b", "/a b"])(
    "%j is none",
    (basePath) => {
      expect(() => createMounted({ basePath })).toThrow("Invalid basePath");
    },
  );
});
