/** A server that is shut down: what runs is handed over, and nobody is left without a word. */
import { once } from "node:events";
import { createAgent, createHost } from "@capstan/core";
import { reply, say, scriptedProvider, stall } from "@capstan/testing";
import { expect, test } from "vitest";
import { headOf, openSocket } from "./raw-socket.ts";
import { StreamReader } from "./sse.ts";
import { createWorld, tokens } from "./world.ts";

test("streams end with a word to connect elsewhere, and another process goes on with the turn", async () => {
  const world = await createWorld([reply(say("Half"), stall())]);
  const running = new StreamReader(await world.post("/api/agent/execute", { input: "Hi" }));
  await running.until("text_delta");
  const sessionId = running.response.headers.get("x-session-id") ?? "";

  await world.node.close();
  const rest = await running.rest();
  const model = scriptedProvider([say("Whole")]);
  const agent = createAgent({ name: "helper", model });
  const other = createHost({ agents: [agent], repository: world.repository });
  const session = await other.open(sessionId);
  await session.waitForIdle();
  await other.close();

  expect(rest.at(-1)?.data).toEqual({ type: "stream_end", reason: "closing" });
  expect(session.messages.at(-1)).toMatchObject({ content: [{ text: "Whole" }] });
  expect(world.provider.openStreams).toBe(0);
});

test("a server that closes lets idle connections go and takes no new ones", async () => {
  const world = await createWorld([stall()]);
  const open = new StreamReader(await world.post("/api/agent/execute", { input: "Hi" }));
  await open.until("attempt_start");
  const socket = await openSocket(world.node.port);
  const closed = once(socket, "close");

  await world.node.close();
  await closed;
  const late = await fetch(`${world.node.url}/readyz`).catch(() => "refused");

  expect(late).toBe("refused");
});

test("a reader that takes nothing does not keep a server from closing", async () => {
  const world = await createWorld([say("Hi")], { serve: { drainMs: 50 } });
  const { sessionId } = await world.execute({ input: "Hi" });
  const socket = await openSocket(world.node.port);
  const authorization = `Bearer ${tokens.ann}`;
  socket.write(headOf("GET", `/api/agent/session/${sessionId}/events`, { authorization }));
  socket.pause();

  await world.node.close();

  expect(world.faults).toEqual([]);
});

test("closing twice is closing once", async () => {
  const world = await createWorld([]);

  await Promise.all([world.node.close(), world.node.close()]);

  await expect(world.host.list()).rejects.toMatchObject({ code: "host_closed" });
});
