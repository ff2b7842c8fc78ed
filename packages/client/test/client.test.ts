/** What a client does when things are not as they should be, and when it goes. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ClientError, connect, lendTool } from "@capstan/client";
import type { SessionEvent } from "@capstan/log";
import { memoryRepository } from "@capstan/log";
import { reply, say, stall, wait } from "@capstan/testing";
import { expect, onTestFinished, test } from "vitest";
import { cuttingProxy } from "./cutting-proxy.ts";
import { client, retry, serve, token } from "./transports.ts";

/** Where nobody listens. */
async function freeUrl(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return `http://127.0.0.1:${port}`;
}

test("a server that is not there: the turn ends with an error that says so", async () => {
  const url = await freeUrl();

  const session = client(url, { retry: { ...retry, maxAttempts: 3 } }).createSession();
  const { status, error } = await session.send("Hi").response;

  expect(status).toBe("error");
  expect(error).toMatchObject({ name: "ClientError", code: "unreachable" });
  await expect(session.steer("Hi")).rejects.toThrow(ClientError);
});

test("of two servers the one that is there is used", async () => {
  const { node } = await serve([say("Here")]);

  const { text } = await client([await freeUrl(), node.url])
    .createSession()
    .send("Hi").response;

  expect(text).toBe("Here");
});

test("what is no server of ours is said to be none", async () => {
  const server = createServer((_, response) => response.end("<html>")).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;

  const connected = client(`http://127.0.0.1:${port}`);
  const { error } = await connected.createSession().send("Hi").response;

  expect(error?.code).toBe("protocol");
  await expect(connected.list()).rejects.toMatchObject({ code: "protocol" });
});

test("a token that is not known any more is asked for again, once", async () => {
  const { node } = await serve([say("Hello")]);
  const asked: string[] = [];
  const onUnauthorized = (): string => {
    asked.push("asked");
    return token;
  };

  const session = client(node.url, {
    token: "old-0123456789abcdef",
    onUnauthorized,
  }).createSession();
  const { text } = await session.send("Hi").response;
  const refused = await client(node.url, { token: "old-0123456789abcdef" })
    .createSession()
    .send("Hi").response;

  expect(text).toBe("Hello");
  expect(asked).toEqual(["asked"]);
  expect(refused.error?.code).toBe("unauthenticated");
});

test("what the server refuses has its code, its status and the places", async () => {
  const { node } = await serve([say("Hello")]);
  const session = client(node.url).createSession({ agent: "nobody" });

  const { error } = await session.send("Hi").response;
  const failure: unknown = await session.fork().catch((thrown: unknown) => thrown);

  expect(error).toMatchObject({
    code: "invalid_request",
    message: expect.stringContaining("agent"),
  });
  expect(failure).toMatchObject({ code: "not_found", status: 404 });
});

test("mistakes in what a client is made of are told at once", () => {
  const tool = lendTool({
    name: "t",
    description: "T",
    input: { type: "object" },
    execute: () => "",
  });
  const { execute: _, ...remote } = tool;

  expect(() => connect({ url: "nowhere", token })).toThrow(/Invalid URL: "nowhere"/);
  expect(() => connect({ url: [], token })).toThrow(/Pass a url/);
  expect(() => connect({ url: "http://a.test", token, tools: [remote] })).toThrow(/has no execute/);
});

test("close ends everything here, and nothing there", async () => {
  const repository = memoryRepository();
  const { node } = await serve([reply(say("Half"), stall())], { repository });
  const connected = client(node.url);
  const session = connected.session("chat");
  const turn = session.send("Hi", { id: "t1" });
  for await (const event of turn) if (event.type === "text_delta") connected.close();

  const { error } = await turn.response;
  const after = await session.send("Again").response;
  const there = await client(node.url).session("chat").refresh();

  expect(error?.code).toBe("closed");
  expect(after.error?.code).toBe("closed");
  expect(there.status).toBe("running");
});

test("a turn is stopped by its signal, and by the cancel of another client", async () => {
  const { node } = await serve([reply(say("Half"), stall()), reply(say("Half"), stall())]);
  const session = client(node.url).session("chat");
  const controller = new AbortController();
  const first = session.send("One", { signal: controller.signal });
  for await (const event of first) if (event.type === "text_delta") controller.abort("by signal");
  const second = session.send("Two", { id: "t2" });
  await second[Symbol.asyncIterator]().next();

  const isStopped = await client(node.url).session("chat").abortTurn("t2", { reason: "elsewhere" });
  const again = await session.abortTurn("t2");

  expect((await first.response).status).toBe("aborted");
  expect((await second.response).status).toBe("aborted");
  expect([isStopped, again]).toEqual([true, false]);
});

test("steering and follow-ups whose acknowledgement is lost are sent again, and are there once", async () => {
  const gate = Promise.withResolvers<void>();
  const { node } = await serve([reply(say("One"), wait(gate.promise)), say("Two"), say("Three")]);
  const direct = client(node.url).session("chat");
  const turn = direct.send("Begin");
  await turn[Symbol.asyncIterator]().next();

  const proxy = await cuttingProxy(node.url, { answerTo: 1 });
  await client(proxy.url).session("chat").followUp("And then?", { id: "f1" });
  gate.resolve();
  await direct.waitForIdle();

  expect(proxy.counts).toMatchObject({ cuts: 1, requests: 2 });
  expect(direct.state.messages.map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "user",
    "assistant",
  ]);
  expect(direct.state.messages[2]?.id).toBe("f1");
});

test("a page that comes in the middle of a reply sees what is there, and then the rest", async () => {
  const gate = Promise.withResolvers<void>();
  const { node } = await serve([reply(say("Hel"), wait(gate.promise), say("lo"))]);
  const turn = client(node.url).session("chat").send("Hi", { id: "t1" });
  for await (const event of turn) if (event.type === "text_delta") break;
  const proxy = await cuttingProxy(node.url, {});
  const page = client(proxy.url).session("chat");

  const { streamingMessage, status, messages } = await page.refresh();
  const told: SessionEvent[] = [];
  page.subscribe((event) => void told.push(event));
  await expect.poll(() => proxy.counts.frames).toBeGreaterThan(1);
  gate.resolve();
  await page.waitForIdle();

  expect(status).toBe("running");
  expect(messages).toHaveLength(1);
  expect(streamingMessage?.content).toEqual([{ type: "text", text: "Hel" }]);
  expect(told.flatMap((event) => (event.type === "text_end" ? event.text : []))).toEqual([
    "Hel",
    "lo",
  ]);
  expect(page.state.messages.at(-1)).toMatchObject({ content: [{ text: "Hel" }, { text: "lo" }] });
});

test("sessions are listed a page at a time, and deleted", async () => {
  const { node } = await serve([say("One"), say("Two"), say("Three")]);
  const connected = client(node.url);
  for (const id of ["a", "b", "c"]) await connected.session(id).send(`Session ${id}`).response;

  const first = await connected.list({ limit: 2 });
  const second = await connected.list({ limit: 2, after: first.next ?? "" });
  await connected.session("a").delete();
  await connected.session("a").delete();
  const left = await connected.list();

  expect([...first.sessions, ...second.sessions].map(({ title }) => title)).toEqual([
    "Session c",
    "Session b",
    "Session a",
  ]);
  expect(left.sessions).toHaveLength(2);
});

test("a session that is deleted under a turn, here or in another process, ends the turn", async () => {
  const repository = memoryRepository();
  const limits = { heartbeatMs: 10, requestsPerMinute: 100_000 };
  const here = await serve([reply(say("Half"), stall())], { repository, server: { limits } });
  const there = await serve([], { repository });
  const turn = client(here.node.url, { silenceMs: 100 }).session("chat").send("Hi");
  for await (const event of turn) if (event.type === "text_delta") break;

  await client(there.node.url).session("chat").delete();
  const { error } = await turn.response;

  expect(error?.code).toBe("not_found");
});

test("a stream on which nothing comes any more is given up for a new one", async () => {
  const gate = Promise.withResolvers<void>();
  const limits = { heartbeatMs: 60_000, requestsPerMinute: 100_000 };
  const { node } = await serve([reply(say("Hel"), wait(gate.promise), say("lo"))], {
    server: { limits },
  });
  const proxy = await cuttingProxy(node.url, {});
  const turn = client(proxy.url, { silenceMs: 30 }).session("chat").send("Hi");
  for await (const event of turn) if (event.type === "text_delta") break;

  await expect.poll(() => proxy.counts.requests).toBeGreaterThan(3);
  gate.resolve();
  const { text } = await turn.response;

  expect(text).toBe("Hello");
});
